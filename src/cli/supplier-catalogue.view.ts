import type { Refusal } from '../catalog/catalogue-difference.js';
import type { ItemFilter, MappedItem } from '../catalog/supplier-catalogues.repository.js';
import type { SyncOptions, SyncRun } from '../catalog/supplier-sync.service.js';
import { formatMicros } from '../core/cost-money.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { list, recordTable, paragraphs, type Result } from './output.js';
import { unavailableInWords } from './supplier.view.js';
import { paint } from './terminal.js';

/** What came of a run; what a dry one would have changed. */
export function syncRun({ supplier, refusal, ...counts }: SyncRun, { dryRun }: SyncOptions): Result {
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
export function catalogueItems(items: MappedItem[], code: string, { match, unmapped }: ItemFilter): Result {
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
