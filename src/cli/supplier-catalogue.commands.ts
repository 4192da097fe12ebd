import type { Command } from 'commander';
import type { Actor } from '../audit-log/audit-log.js';
import { SupplierSyncService, type SyncOptions } from '../catalog/supplier-sync.service.js';
import { examples, type Act } from './command-group.js';
import { operatorOption, reasonOption } from './options.js';
import { catalogueItems, syncRun } from './supplier-catalogue.view.js';

const SYNC_HELP = `
Reads the whole catalogue. The costs of offers become those of the catalogue, and what it lists no more is not sold. An
empty or contradictory catalogue changes nothing, and one that has shrunk by more than 30 % only with --force. Vendors limit
how often they may be asked: within the limit nothing is asked. The exit code is 1 when the run was refused.
`;

export function defineCatalogue(supplier: Command, act: Act): void {
  defineSync(supplier, act);
  defineProducts(supplier, act);
}

function defineSync(supplier: Command, act: Act): void {
  supplier
    .command('sync')
    .description('Read what a supplier sells, and bring it to our offers.')
    .argument('<code>', 'supplier code')
    .option('--dry-run', 'show what would change, without changing it')
    .option('--force', 'take a catalogue that has shrunk, and ignore our own limit, though never the vendor’s')
    .addOption(operatorOption())
    .addOption(reasonOption())
    .addHelpText('after', SYNC_HELP + examples('supplier sync digi', 'supplier sync digi --dry-run'))
    .action(
      act(async (app, code: string, { operator, reason, ...options }: SyncOptions & Actor) => {
        const run = await app.get(SupplierSyncService).sync(code, options, { operator, reason });
        return syncRun(run, options);
      }),
    );
}

function defineProducts(supplier: Command, act: Act): void {
  supplier
    .command('products')
    .description('List what a supplier sells, as its catalogue was last read.')
    .argument('<code>', 'supplier code')
    .option('--match <text>', 'only those with this text in their SKU, name or group')
    .option('--unmapped', 'only those that no product has an offer of')
    .addHelpText('after', examples('supplier products digi', 'supplier products digi --match diamonds --unmapped'))
    .action(
      act(async (app, code: string, filter: { match?: string; unmapped?: boolean }) =>
        catalogueItems(await app.get(SupplierSyncService).list(code, filter), code, filter),
      ),
    );
}
