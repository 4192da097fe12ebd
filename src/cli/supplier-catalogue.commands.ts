import type { Command } from 'commander';
import type { Actor } from '../audit-log/audit-log.js';
import { SupplierSyncService, type SyncOptions, type SyncRun } from '../catalog/supplier-sync.service.js';
import { examples, type Act } from './command-group.js';
import { operatorOption, reasonOption } from './options.js';
import type { Refusal } from '../catalog/catalogue-difference.js';
import type { ItemFilter, MappedItem } from '../catalog/supplier-catalogues.repository.js';
import { formatMicros } from '../core/cost-money.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { list, recordTable, paragraphs, type Result } from './output.js';
import { unavailableInWords } from './supplier.view.js';
import { paint } from './streams.js';

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

/** What came of a run; what a dry one would have changed. */
function syncRun({ supplier, refusal, ...counts }: SyncRun, { dryRun }: SyncOptions): Result {
  const { code } = supplier;
  const reason = refusal && refusalInWords(refusal, supplier);
  const json = { code, ...counts, refused: reason };
  if (reason !== null) {
    const verdict = paint('red', `The catalogue of ${code} was not taken over, and nothing changed:`);
    return { json, text: () => `${verdict} ${reason}.`, ok: false };
  }
  const note = dryRun ? 'Nothing was changed. This is what a run would change now:' : undefined;
  return { json, text: () => paragraphs(note, recordTable({ code, ...counts })) };
}

function refusalInWords(refusal: Refusal, supplier: Supplier): string {
  switch (refusal.kind) {
    case 'too_soon': {
      const [readAt, nextAt] = [refusal.readAt.toISOString(), refusal.nextAt.toISOString()];
      return refusal.isGapOurs
        ? `it was read at ${readAt}, and is left alone until ${nextAt}: --force reads it now`
        : `it was asked for at ${readAt}, and the vendor allows the next call at ${nextAt}`;
    }
    case 'unavailable':
      return unavailableInWords(refusal.problem, supplier, 'catalogue');
    case 'empty':
      return 'it lists nothing';
    case 'contradiction':
      return `it lists ${refusal.sku} at two prices`;
    case 'shrunk': {
      const { what, before, now } = refusal;
      const how = what === 'listed' ? 'lists' : 'sells';
      return `it ${how} ${now} SKUs and had ${before}, which is over 30 % fewer: --force takes it over as it is`;
    }
    case 'overtaken':
      return 'while it was read, another run began or the supplier was set anew: see topup supplier products';
  }
}

/** What a supplier sells. */
function catalogueItems(items: MappedItem[], code: string, { match, unmapped }: ItemFilter): Result {
  const rows = items.map(({ sku, name, group_name, cost_micros: micros, cost_currency, sellable, mapped_to }) => ({
    supplier_sku: sku,
    name,
    group: group_name,
    cost: micros === null ? null : formatMicros(micros),
    currency: cost_currency,
    available: sellable,
    mapped_to,
  }));
  const isFiltered = match !== undefined || unmapped === true;
  const ifEmpty = isFiltered
    ? 'There are no such products.'
    : `Its catalogue was not read yet: topup supplier sync ${code} reads it.`;
  return list(rows, ifEmpty);
}
