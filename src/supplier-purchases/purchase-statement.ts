import { parseMicros } from '../core/cost-money.js';
import { CsvProblems, FieldReader, readTable, type CsvProblem } from '../core/csv-table.js';
import { readMoment } from '../core/moments.js';
import { textProblem } from '../core/text.js';
import type { ListedPurchase } from '../suppliers/supplier-adapter.js';

/** What a statement may tell of a purchase, by the names of its columns. */
export const STATEMENT_COLUMNS = [
  ...([
    'reference',
    'supplier_reference',
    'status',
    'sku',
    'player',
    'cost',
    'currency',
    'bought_at',
  ] as const),
] as const;
export type StatementColumn = (typeof STATEMENT_COLUMNS)[number];

/** How a vendor writes its statement. */
export interface StatementFormat {
  /** What its header calls our columns, where that is something else. */
  headers: Partial<Record<StatementColumn, string>>;
  /** What it calls a purchase that succeeded, and one that failed or was refunded, besides the words that many use. */
  bought: readonly string[];
  notBought: readonly string[];
}

export interface StatedPurchase extends ListedPurchase {
  line: number;
  /** As the statement writes it; null where it has no such column. */
  status: string | null;
}

const BOUGHT = ['succeeded', 'success', 'sukses', 'completed'];
const NOT_BOUGHT = ['failed', 'gagal', 'refunded', 'canceled', 'cancelled'];
const MAX_LENGTH = 255;

const nameOf = (text: string): string | null => (textProblem(text, 1, MAX_LENGTH) === null ? text : null);
const A_TEXT = { words: `text of up to ${MAX_LENGTH} characters`, ifEmpty: '' };

/**
 * Reads a vendor's statement of what it sold us: CSV, of which columns with other names are passed over. Where a purchase
 * has several lines, one that says that it was bought counts.
 * @throws CsvProblems with everything that is wrong with it.
 */
export function readStatement(
  file: Buffer,
  { headers, bought, notBought }: StatementFormat,
): StatedPurchase[] {
  const ours = new Map(Object.entries(headers).map(([column, header]) => [header, column]));
  const table = readTable(file, {
    columns: STATEMENT_COLUMNS,
    required: [],
    what: 'purchases',
    others: 'passed over',
    rename: (header) => ours.get(header) ?? header,
  });
  const missing = Object.entries(headers).filter(([column]) => !table.columns.includes(column));
  const problems: CsvProblem[] = missing.map(([column, header]) => ({
    ...{ line: null, column },
    words: `there is no column ${JSON.stringify(header)}, which was to be ${column}`,
  }));
  if (!table.columns.includes('reference') && !table.columns.includes('supplier_reference'))
    problems.push({
      line: null,
      column: null,
      words: 'one of reference and supplier_reference must be a column',
    });
  if (problems.length > 0) throw new CsvProblems(problems);
  const words = {
    bought: new Set([...BOUGHT, ...bought].map(wordOf)),
    notBought: new Set([...NOT_BOUGHT, ...notBought].map(wordOf)),
  };
  const purchases = table.rows.map(({ line, fields }) => {
    const reader = new FieldReader(table.columns, fields);
    const purchase = readPurchase(reader, line, words);
    problems.push(...reader.wrong.map((problem) => ({ ...problem, line })));
    return purchase;
  });
  if (problems.length > 0) throw new CsvProblems(problems);
  return eachOnce(purchases);
}

function readPurchase(
  reader: FieldReader,
  line: number,
  { bought, notBought }: { bought: ReadonlySet<string>; notBought: ReadonlySet<string> },
): StatedPurchase {
  const text = (column: StatementColumn): string | null => reader.read(column, nameOf, A_TEXT) || null;
  const [reference, supplierReference] = [text('reference'), text('supplier_reference')];
  if (reference === null && supplierReference === null)
    reader.wrong.push({ column: null, words: 'names no purchase' });
  const status = text('status');
  const micros =
    reader.read('cost', parseMicros, { words: 'an amount such as 10000 or 23.5', ifEmpty: -1n }) ?? -1n;
  const currency = text('currency');
  const word = wordOf(status ?? '');
  return {
    ...{ line, reference, supplierReference, status, sku: text('sku'), player: text('player') },
    state: status === null || bought.has(word) ? 'succeeded' : notBought.has(word) ? 'failed' : 'processing',
    boughtAt: readBoughtAt(reader),
    cost: micros < 0n || currency === null ? null : { micros, currency },
  };
}

function readBoughtAt(reader: FieldReader): Date | null {
  const words = 'a moment such as 2026-01-15T08:30:00+07:00';
  const read = reader.read<Date | 'none'>('bought_at', readMoment, { words, ifEmpty: 'none' });
  return read instanceof Date ? read : null;
}

/** By their names. */
function eachOnce(purchases: StatedPurchase[]): StatedPurchase[] {
  const byName = new Map<string, StatedPurchase>();
  for (const purchase of purchases) {
    const name = JSON.stringify([
      purchase.reference,
      purchase.reference === null && purchase.supplierReference,
    ]);
    const earlier = byName.get(name);
    if (!earlier || rank(purchase) > rank(earlier)) byName.set(name, purchase);
  }
  return [...byName.values()];
}

const rank = ({ state }: StatedPurchase): number =>
  ['failed', 'processing', 'succeeded'].indexOf(state ?? '');

const wordOf = (text: string): string => text.trim().toLowerCase();
