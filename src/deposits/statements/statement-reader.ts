import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import type { Satang } from '../../core/money.js';
import type { Precision } from '../incoming-payment.entity.js';
import { beginsWithDigit, readAmount, readMoment, type Moment } from './cells.js';
import { StatementRefused } from './statement-refused.js';
import type { ColumnName, StatementFormat } from './statement-format.js';

/** A line of a statement, as the file has it. */
export interface ReadLine {
  /** Its line in the file. */
  row: number;
  bookedOn: string;
  at: Date;
  precision: Precision;
  amount: Satang;
  balance: Satang | null;
  /** The time, the texts and the reference as written, for the line's identity. */
  timeText: string;
  texts: string[];
  reference: string;
}

/** A whole file. */
export interface ReadStatement {
  /** Oldest first. */
  lines: ReadLine[];
  /** Amounts and counts that stand above the table; each is one of the file's totals. */
  stated: { amounts: Satang[]; counts: number[] };
}

type Places = Partial<Record<ColumnName, number>>;

/** The Thai code page of Windows. */
const THAI = 'windows-874';
const LINE_ENDS: unknown[] = [10, 13];
const DELIMITERS = [',', ';', '\t'];
const HEAD_ROWS = 100;
const MAX_RECORD = 100_000;
const MAX_PROBLEMS = 100;
/** The largest file of the command line. */
const MAX_LINES = 200_000;
/** The rows in which `kbiz` states the closing balance and the totals. */
const STATED_ROWS = [8, 9, 10];

/**
 * Reads a file of a bank. Rows above and below the table, repeated headers and rows without an amount are no lines.
 * @throws StatementRefused
 */
export function readStatement(file: Buffer, format: StatementFormat, now: Date): ReadStatement {
  const utf8 = isUtf8(file) ? file : Buffer.from(new TextDecoder(THAI).decode(file));
  if (utf8.subarray(0, MAX_RECORD).toString().trim() === '') throw new StatementRefused('EMPTY', ['the file is empty']);
  const found = findTable(utf8, format);
  if (!found) {
    const names = Object.values(format.columns).join(', ');
    throw new StatementRefused('UNKNOWN_COLUMNS', [`no row of the file has the columns ${names}`]);
  }
  const reader = new TableReader(found.places, found.isHeader, now);
  const stated: ReadStatement['stated'] = { amounts: [], counts: [] };
  eachRow(utf8, found.delimiter, (cells, row) => {
    if (row > found.headerRow) reader.add(cells, row);
    else if (format.statesTotals && STATED_ROWS.includes(row)) collectStated(cells, stated);
  });
  if (!LINE_ENDS.includes(utf8.at(-1))) reader.refuseCutAmount();
  return { lines: reader.finish(format.isReferenceUnique), stated };
}

interface Table {
  delimiter: string;
  /** The row before the first possible line. */
  headerRow: number;
  places: Places;
  isHeader: (cells: string[]) => boolean;
}

/** Finds delimiter, header and columns. Columns that are given by numbers need no header. */
function findTable(utf8: Buffer, { columns }: StatementFormat): Table | null {
  const entries = Object.entries(columns) as [ColumnName, string][];
  const isNumber = (header: string): boolean => /^[1-9]\d{0,2}$/.test(header);
  const headers = entries.map(([, header]) => header).filter((header) => !isNumber(header));
  const width = Math.max(0, ...entries.map(([, header]) => (isNumber(header) ? Number(header) : 0)));
  const isHeader = (cells: string[]): boolean =>
    headers.length > 0 && cells.length >= width && headers.every((header) => cells.includes(header));
  for (const delimiter of DELIMITERS) {
    let table: Table | null = null;
    eachRow(
      utf8,
      delimiter,
      (cells, row) => {
        if (table || (headers.length > 0 ? !isHeader(cells) : cells.length < width)) return;
        const place = (header: string): number => (isNumber(header) ? Number(header) - 1 : cells.indexOf(header));
        const places = Object.fromEntries(entries.map(([name, header]) => [name, place(header)]));
        table = { delimiter, headerRow: headers.length > 0 ? row : row - 1, places, isHeader };
      },
      HEAD_ROWS,
    );
    if (table) return table;
  }
  return null;
}

function eachRow(utf8: Buffer, delimiter: string, use: (cells: string[], row: number) => void, rows?: number): void {
  try {
    parse(utf8, {
      delimiter,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD,
      ...(rows === undefined ? {} : { to: rows }),
      on_record: (cells: string[], { lines }) => {
        use(cells, lines);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // While the delimiter is unknown, a wrong one may fail.
    if (rows !== undefined) return;
    // Its message may quote a payer's name.
    const words = `line ${Number(error.lines)}: it is not written as CSV (${error.code})`;
    throw new StatementRefused('UNREADABLE', [words]);
  }
}

function collectStated(cells: string[], stated: ReadStatement['stated']): void {
  for (const cell of cells) {
    const amount = IS_WHOLE.test(cell) ? readAmount(cell) : null;
    if (amount !== null) stated.amounts.push(amount);
    else if (/^[\d๐-๙]{1,6}$/.test(cell)) stated.counts.push(Number(readAmount(cell) ?? 0n) / 100);
  }
}

const UNDATED = 'it has an amount and no date';
/** What an amount is written with. Words in its column belong to a header or a footer. */
const IS_NUMBER = /^[^\p{L}]*[\d๐-๙][^\p{L}]*$/u;
/** Totals below a table have no time. */
const HAS_TIME = /[\d๐-๙]:[\d๐-๙]{2}/;
/** With two fraction digits an amount is whole. */
const IS_WHOLE = /[.][\d๐-๙]{2}[^\d๐-๙]*$/;

const AMOUNTS = ['amount', 'in', 'out'] as const;

/** The balance before a line. */
export const openingOf = ({ balance, amount }: Pick<ReadLine, 'balance' | 'amount'>): Satang | null =>
  balance === null ? null : balance - amount;

/** Amounts that a bank states about lines: what came in, what went out, the difference, and the balances around them. */
export function totalsOf(lines: readonly ReadLine[]): (Satang | null)[] {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return [];
  const sum = (some: readonly ReadLine[]): Satang => some.reduce((total, { amount }) => total + amount, 0n);
  const [incoming, all] = [sum(lines.filter(({ amount }) => amount > 0n)), sum(lines)];
  return [incoming, incoming - all, all, openingOf(first), last.balance];
}

/** Reads rows of the table, and collects all wrong ones. */
class TableReader {
  private readonly lines: ReadLine[] = [];
  private readonly problems: string[] = [];
  /** Rows with one amount and no date: totals below the table, or lines that can't be imported. */
  private undated: { row: number; written: string }[] = [];
  /** Moments by their cells. Many lines share one, which saves time and memory. */
  private readonly moments = new Map<string, (Moment & { timeText: string }) | null>();
  /** The latest row. */
  private last: { cells: string[]; row: number } | null = null;

  constructor(
    private readonly places: Places,
    private readonly isHeader: (cells: string[]) => boolean,
    private readonly now: Date,
  ) {}

  add(cells: string[], row: number): void {
    this.last = { cells, row };
    if (this.isHeader(cells)) return;
    const cell = (name: ColumnName): string => cells[this.places[name] ?? -1] ?? '';
    const amount = this.amountOf(cell);
    if (amount === 0n) return;
    if (!beginsWithDigit(cell('date'))) {
      if (HAS_TIME.test(cell('time'))) return this.refuse(row, UNDATED);
      const [written, other] = AMOUNTS.map(cell).filter((each) => IS_NUMBER.test(each) && readAmount(each) !== 0n);
      // A row with both amounts is no line.
      if (written !== undefined && other === undefined) this.undated.push({ row, written });
      return;
    }
    const moment = this.momentOf(cell('date'), this.places.time === undefined ? null : cell('time'));
    const balance = this.places.balance === undefined ? null : readBalance(cell('balance'));
    if (amount === null) return this.refuse(row, 'its amount is unreadable');
    if (!moment) return this.refuse(row, 'its date or time is unreadable, or more than a day ahead');
    if (balance === undefined) return this.refuse(row, 'its balance is unreadable');
    for (const earlier of this.undated) this.refuse(earlier.row, UNDATED);
    this.undated = [];
    // A filter leaves room for more elements, which no line needs.
    const texts = [cell('text'), cell('details')].filter((each) => each !== '').slice();
    const { day: bookedOn, at, precision, timeText } = moment;
    this.lines.push({ row, bookedOn, at, precision, amount, balance, timeText, texts, reference: cell('reference') });
    if (this.lines.length > MAX_LINES)
      throw new StatementRefused('UNREADABLE', [`it has more than ${MAX_LINES} lines`]);
  }

  /** Refuses an amount in which a file ends that has no line break at its end. Balances would contradict such an amount. */
  refuseCutAmount(): void {
    const { amount, in: incoming, out, balance } = this.places;
    if (balance !== undefined || !this.last) return;
    const { cells, row } = this.last;
    const cell = cells.at(-1) ?? '';
    const isAmount = cell !== '' && [amount, incoming, out].includes(cells.length - 1);
    if (isAmount && !IS_WHOLE.test(cell)) this.refuse(row, 'the file ends in its amount, and may be cut');
  }

  /** @returns the lines, oldest first. @throws StatementRefused */
  finish(needsReference: boolean): ReadLine[] {
    if (isNewestFirst(this.lines)) this.lines.reverse();
    const totals = totalsOf(this.lines).map((total) => abs(total ?? 0n));
    for (const { row, written } of this.undated) {
      const amount = readAmount(written);
      if (amount === null || !totals.includes(abs(amount)))
        this.refuse(row, `${UNDATED}, and is no total of the lines`);
    }
    if (needsReference && this.places.balance === undefined)
      for (const { row, reference } of this.lines) if (reference === '') this.refuse(row, 'it has no reference');
    if (this.problems.length > 0) throw new StatementRefused('UNREADABLE', this.problems);
    return this.lines;
  }

  private momentOf(date: string, time: string | null): (Moment & { timeText: string }) | null {
    const key = `${date}\n${time}`;
    const known = this.moments.get(key);
    if (known !== undefined) return known;
    const moment = readMoment(date, time, this.now);
    const named = moment && { ...moment, timeText: time ?? '' };
    this.moments.set(key, named);
    return named;
  }

  /** @returns null for an unreadable amount, 0 for none. */
  private amountOf(cell: (name: ColumnName) => string): Satang | null {
    if (this.places.amount !== undefined) return readAmount(cell('amount'));
    const [incoming, outgoing] = [readAmount(cell('in')), readAmount(cell('out'))];
    if (incoming === null || outgoing === null || (incoming !== 0n && outgoing !== 0n)) return null;
    return incoming === 0n ? -abs(outgoing) : incoming;
  }

  private refuse(row: number, words: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(`line ${row}: ${words}`);
  }
}

const abs = (amount: Satang): Satang => (amount < 0n ? -amount : amount);

/** @returns undefined for an unreadable or missing balance. */
const readBalance = (cell: string): Satang | undefined => (cell === '' ? undefined : (readAmount(cell) ?? undefined));

/** Whether each balance is the one before plus the amount. */
const follows = (before: ReadLine, line: ReadLine): boolean =>
  before.balance === null || line.balance === null || line.balance === before.balance + line.amount;

/** By the times; if all are equal, by the chain of balances. */
function isNewestFirst(lines: readonly ReadLine[]): boolean {
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last || first === last) return false;
  if (first.at.getTime() !== last.at.getTime()) return first.at > last.at;
  const isChain = (ordered: readonly ReadLine[]): boolean =>
    ordered.every((line, index) => {
      const before = ordered[index - 1];
      return before === undefined || follows(before, line);
    });
  return !isChain(lines) && isChain(lines.toReversed());
}
