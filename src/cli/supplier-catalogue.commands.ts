import { Option } from 'commander';
import type { Actor } from '../audit-log/audit-log.js';
import { SupplierSyncService, type SyncOptions, type SyncRun } from '../catalog/supplier-sync.service.js';
import type { OperatorCommand } from './command-group.js';
import type { Refusal } from '../catalog/catalogue-difference.js';
import type { ItemFilter, MappedItem } from '../catalog/supplier-catalogues.repository.js';
import { formatMicros } from '../core/cost-money.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { warnOfBans } from './supplier-pause.commands.js';
import { integer } from './options.js';
import { list, recordTable, paragraphs, type Result } from './output.js';
import { unavailableInWords } from './supplier.view.js';
import { paint } from './streams.js';

const SYNC_HELP = `
Reads the whole catalogue. Offers get the costs of the catalogue, and offers whose SKU has left it are not used. An
empty or contradictory catalogue changes nothing, and neither does one that has shrunk by more than 30 %. With --at-least,
it is applied if it still has so many SKUs. With --force, it is applied however far it has shrunk. Suppliers limit how often
the catalogue may be read: within that time, the command makes no call. The exit code is 1 if the run was refused.
`;

export function defineCatalogue(supplier: OperatorCommand): void {
  defineSync(supplier);
  defineProducts(supplier);
}

function defineSync(supplier: OperatorCommand): void {
  supplier
    .command('sync')
    .description('Read a supplier’s catalogue, and update our offers.')
    .argument('<code>', 'supplier code')
    .option('--dry-run', 'show what would change; counts as a reading for the supplier’s limit')
    .option(
      '--force',
      'accept a catalogue that has shrunk, and ignore our own limit of calls, but never the supplier’s',
    )
    .addOption(
      new Option('--at-least <count>', 'accept a catalogue that has shrunk, down to so many SKUs')
        .argParser(integer(0, 1_000_000))
        .conflicts('force'),
    )
    .audited()
    .notes(SYNC_HELP)
    .examples('supplier sync digi', 'supplier sync digi --dry-run')
    .does(async (app, code: string, { operator, reason, ...options }: SyncOptions & Actor) => {
      warnOfBans([await app.get(SuppliersService).getByCode(code)]);
      const run = await app.get(SupplierSyncService).sync(code, options, { operator, reason });
      return syncRun(run, options);
    });
}

function defineProducts(supplier: OperatorCommand): void {
  supplier
    .command('products')
    .description('List a supplier’s catalogue, as it was last read.')
    .argument('<code>', 'supplier code')
    .option('--match <text>', 'products with this text in SKU, name or group')
    .option('--unmapped', 'products for which we have no offer')
    .examples('supplier products digi', 'supplier products digi --match diamonds --unmapped')
    .does(async (app, code: string, filter: { match?: string; unmapped?: boolean }) =>
      catalogueItems(await app.get(SupplierSyncService).list(code, filter), code, filter),
    );
}

/** The result of a run, or of a dry run. */
function syncRun({ supplier, refusal, ...counts }: SyncRun, { dryRun }: SyncOptions): Result {
  const { code } = supplier;
  const reason = refusal && refusalInWords(refusal, supplier);
  const json = { code, ...counts, refused: reason };
  if (reason !== null) {
    const summary = paint('red', `The catalogue of ${code} was refused, and nothing changed:`);
    return { json, text: () => `${summary} ${reason}.`, ok: false };
  }
  const note = dryRun ? 'Nothing was changed. This is what a run would change now:' : undefined;
  return { json, text: () => paragraphs(note, recordTable({ code, ...counts })) };
}

function refusalInWords(refusal: Refusal, supplier: Supplier): string {
  switch (refusal.kind) {
    case 'too_soon': {
      const [readAt, nextAt] = [refusal.readAt.toISOString(), refusal.nextAt.toISOString()];
      return refusal.isGapOurs
        ? `it was read at ${readAt}, and the next reading is at ${nextAt}: --force reads it now`
        : `it was requested at ${readAt}, and the supplier allows the next call at ${nextAt}`;
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
      return `it ${how} ${now} SKUs and had ${before}, which is over 30 % fewer: --at-least ${now} accepts it`;
    }
    case 'overtaken':
      return 'during the reading, another run began or the supplier’s settings changed: see topup supplier products';
  }
}

/** A supplier's catalogue. */
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
    : `The catalogue has not been read yet: topup supplier sync ${code} reads it.`;
  return list(rows, ifEmpty);
}
