import { parseMicros } from '../../core/cost-money.js';
import { CsvProblems, FieldReader, readTable, type CsvProblem } from '../../core/csv-table.js';
import { groupBy } from '../../core/groups.js';
import { readMoment } from '../../core/moments.js';
import { textProblem } from '../../core/text.js';
import type { ListedPurchase } from '../../suppliers/supplier-adapter.js';

/** The columns that a statement may have. */
export const STATEMENT_COLUMNS = [
  ...(['reference', 'supplier_reference', 'status', 'sku', 'player', 'cost', 'currency', 'bought_at'] as const),
] as const;
type StatementColumn = (typeof STATEMENT_COLUMNS)[number];

/**
 * The format of a supplier's statement. `bought`, `notBought` and `refunded` are the supplier's own statuses, in addition to `BOUGHT`,
 * `NOT_BOUGHT` and `REFUNDED` below. If a word is in both, the supplier's own meaning counts.
 */
export interface StatementFormat {
  /** The statement's headers for our columns, where they differ from our names. */
  headers: Partial<Record<StatementColumn, string>>;
  bought: readonly string[];
  notBought: readonly string[];
  refunded: readonly string[];
}

type Result = 'bought' | 'not_bought' | 'refunded' | 'processing' | 'unclear';

export interface StatedPurchase extends ListedPurchase {
  line: number;
  /** The text of the status in the statement; null if the line has none. */
  status: string | null;
  /** The meaning of the status. A purchase without a status counts as bought. */
  result: Result;
}

/** A status of unknown meaning, and how many lines have it. */
export interface UnclearStatus {
  status: string;
  lines: number;
}

export interface StatementReading {
  /**
   * Each purchase once, even if the statement has several lines for it with the same references. Several sales under one reference are several purchases,
   * if they have different references of the supplier. After the sales under a reference come its purchases that were paid back.
   */
  purchases: StatedPurchase[];
  /** Unknown statuses. Their purchases have the state `processing`. */
  unclear: UnclearStatus[];
}

const BOUGHT = ['succeeded', 'success', 'sukses', 'completed'];
const NOT_BOUGHT = ['failed', 'gagal', 'canceled', 'cancelled'];
const REFUNDED = ['refunded', 'refund'];
const PROCESSING = ['processing', 'pending', 'proses', 'diproses', 'in progress'];
const MAX_LENGTH = 255;

const nameOf = (text: string): string | null => (textProblem(text, 1, MAX_LENGTH) === null ? text : null);
const A_TEXT = { words: `text of up to ${MAX_LENGTH} characters`, ifEmpty: '' };

/**
 * Reads a supplier's statement of its sales, a CSV file. Columns that are not in `STATEMENT_COLUMNS` are ignored. If a
 * purchase has several lines, the line with the strongest status counts. From the strongest: paid back, bought, in progress,
 * unknown, failed.
 * @throws CsvProblems with all problems of the columns, or else of the lines.
 */
export function readStatement(file: Buffer, { headers, ...words }: StatementFormat): StatementReading {
  const ours = new Map(Object.entries(headers).map(([column, header]) => [header, column]));
  const table = readTable(file, {
    columns: STATEMENT_COLUMNS,
    required: [],
    what: 'purchases',
    others: 'ignored',
    rename: (header) => ours.get(header) ?? header,
  });
  const missing = Object.entries(headers).filter(([column]) => !table.columns.includes(column));
  const problems: CsvProblem[] = missing.map(([column, header]) => ({
    line: null,
    column,
    words: `the file has no column ${JSON.stringify(header)} for ${column}: correct the header that you gave`,
  }));
  if (!table.columns.includes('reference') && !table.columns.includes('supplier_reference'))
    problems.push({
      line: null,
      column: null,
      words: 'one of reference and supplier_reference must be a column',
    });
  if (problems.length > 0) throw new CsvProblems(problems);
  const results = resultsOf(words);
  const purchases = table.rows.map(({ line, fields }) => {
    const reader = new FieldReader(table.columns, fields);
    const purchase = readPurchase(reader, line, results);
    problems.push(...reader.wrong.map((problem) => ({ ...problem, line })));
    return purchase;
  });
  if (problems.length > 0) throw new CsvProblems(problems);
  return { purchases: eachOnce(purchases), unclear: unclearIn(purchases) };
}

/** The meaning of each status, in lower case. */
function resultsOf({ bought, notBought, refunded }: Omit<StatementFormat, 'headers'>): Map<string, Result> {
  const results = new Map<string, Result>();
  const means = (words: readonly string[], result: Result): void => {
    for (const word of words) results.set(wordOf(word), result);
  };
  means(PROCESSING, 'processing');
  means(NOT_BOUGHT, 'not_bought');
  means(BOUGHT, 'bought');
  means(REFUNDED, 'refunded');
  means(notBought, 'not_bought');
  means(bought, 'bought');
  means(refunded, 'refunded');
  return results;
}

function unclearIn(purchases: StatedPurchase[]): UnclearStatus[] {
  const lines = new Map<string, number>();
  for (const { status, result } of purchases)
    if (status !== null && result === 'unclear') lines.set(status, (lines.get(status) ?? 0) + 1);
  return [...lines].map(([status, count]) => ({ status, lines: count }));
}

function readPurchase(reader: FieldReader, line: number, results: ReadonlyMap<string, Result>): StatedPurchase {
  const text = (column: StatementColumn): string | null => reader.read(column, nameOf, A_TEXT) || null;
  const [reference, supplierReference] = [text('reference'), text('supplier_reference')];
  if (reference === null && supplierReference === null && reader.wrong.length === 0)
    reader.wrong.push({ column: null, words: 'has neither a reference nor a supplier_reference' });
  const status = text('status');
  const micros = reader.read('cost', parseMicros, { words: 'an amount such as 10000 or 23.5', ifEmpty: -1n }) ?? -1n;
  const currency = text('currency');
  const result = status === null ? 'bought' : (results.get(wordOf(status)) ?? 'unclear');
  return {
    line,
    reference,
    supplierReference,
    status,
    result,
    sku: text('sku'),
    player: text('player'),
    state: STATES[result],
    boughtAt: readBoughtAt(reader),
    cost: micros < 0n || currency === null ? null : { micros, currency },
  };
}

function readBoughtAt(reader: FieldReader): Date | null {
  const words = 'a moment such as 2026-01-15T08:30:00+07:00';
  const read = reader.read<Date | 'none'>('bought_at', readMoment, { words, ifEmpty: 'none' });
  return read instanceof Date ? read : null;
}

/** The purchases of one reference follow each other. */
const eachOnce = (lines: StatedPurchase[]): StatedPurchase[] =>
  [...groupBy(lines, nameIn).values()].flatMap(purchasesIn);

const nameIn = ({ reference, supplierReference }: StatedPurchase): string =>
  JSON.stringify([reference, reference === null && supplierReference]);

/**
 * Usually returns the strongest line. A reference may have several purchases with different references of the supplier, even
 * without the refused ones. If some of these are sales, returns each sale, and then the purchases that were paid back. A refund of
 * one purchase does not undo another.
 */
function purchasesIn(lines: StatedPurchase[]): StatedPurchase[] {
  const purchases = [...groupBy(lines, ({ supplierReference }) => supplierReference).values()].map(strongestOf);
  const named = purchases.filter(
    ({ supplierReference, result }) => supplierReference !== null && result !== 'not_bought',
  );
  const sales = named.filter(({ result }) => result === 'bought');
  if (named.length < 2 || sales.length === 0) return [strongestOf(lines)];
  return [...sales, ...purchases.filter(({ result }) => result === 'refunded')];
}

const strongestOf = (lines: StatedPurchase[]): StatedPurchase =>
  lines.reduce((one, other) => (rank(other) > rank(one) ? other : one));

const STATES = {
  bought: 'succeeded',
  not_bought: 'failed',
  refunded: 'failed',
  processing: 'processing',
  unclear: 'processing',
} as const satisfies Record<Result, ListedPurchase['state']>;

const RANKS = ['not_bought', 'unclear', 'processing', 'bought', 'refunded'] as const satisfies Result[];

/** Of lines with the same result, one with the supplier's reference ranks higher. */
const rank = ({ result, supplierReference }: StatedPurchase): number =>
  RANKS.indexOf(result) + (supplierReference === null ? 0 : 0.5);

const wordOf = (text: string): string => text.trim().toLowerCase();
