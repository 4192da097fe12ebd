import { isUtf8 } from 'node:buffer';
import type { Satang } from '../../core/money.js';
import type { Precision } from '../incoming-payment.entity.js';
import { beginsWithDigit, momentOn, readAmount, readDay, type Moment, type WrittenDay } from './cells.js';
import { rowsOf } from './rows.js';
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
  /**
   * Oldest first. If the file has this order, each iteration reads its lines from the file again, so that a large file takes
   * little memory. If the file is newest first, all of its lines are in memory.
   */
  lines: Iterable<ReadLine>;
  /** Amounts and counts that stand above the table. Each must be one of the file's totals or counts. */
  stated: { amounts: Satang[]; counts: number[] };
}

type Places = Partial<Record<ColumnName, number>>;

/** The Thai code page of Windows. */
const THAI = 'windows-874';
const LINE_ENDS: unknown[] = [10, 13];
const DELIMITERS = [',', ';', '\t'];
const HEAD_ROWS = 100;
const MAX_BLANK = 100_000;
const MAX_PROBLEMS = 100;
/** Like the limit of the command line's other imports. */
const MAX_LINES = 200_000;
/** The rows in which `kbiz` states the closing balance and the totals. */
const STATED_ROWS = [8, 9, 10];

/**
 * Reads a file of a bank. Rows above and below the table, repeated headers and rows without an amount are no lines.
 * @throws StatementRefused
 */
export function readStatement(file: Buffer, format: StatementFormat, now: Date): ReadStatement {
  const utf8 = isUtf8(file) ? file : Buffer.from(new TextDecoder(THAI).decode(file));
  if (utf8.subarray(0, MAX_BLANK).toString().trim() === '') throw new StatementRefused('EMPTY', ['the file is empty']);
  const table = findTable(utf8, format);
  if (!table) {
    const names = Object.values(format.columns).join(', ');
    throw new StatementRefused('UNKNOWN_COLUMNS', [`no row of the file has the columns ${names}`]);
  }
  const stated: ReadStatement['stated'] = { amounts: [], counts: [] };
  if (format.statesTotals)
    for (const { cells, row } of rowsOf(utf8, table.delimiter))
      if (row > table.headerRow) break;
      else if (STATED_ROWS.includes(row)) collectStated(cells, stated);
  const checking = new TableReader(table, format, now);
  const isReversed = isNewestFirst(linesOf(utf8, table, checking));
  const inFile = { [Symbol.iterator]: () => linesOf(utf8, table, new TableReader(table, format, now)) };
  const lines = isReversed ? [...inFile].reverse() : inFile;
  if (!LINE_ENDS.includes(utf8.at(-1))) checking.refuseCutAmount();
  checking.assertReadable(lines);
  return { lines, stated };
}

function* linesOf(utf8: Buffer, { delimiter, headerRow }: Table, reader: TableReader): Generator<ReadLine> {
  for (const { cells, row } of rowsOf(utf8, delimiter)) {
    const line = row > headerRow ? reader.read(cells, row) : null;
    if (line) yield line;
  }
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
  const place = (header: string, cells: string[]): number =>
    isNumber(header) ? Number(header) - 1 : cells.indexOf(header);
  for (const delimiter of DELIMITERS) {
    let rows = 0;
    try {
      for (const { cells, row } of rowsOf(utf8, delimiter)) {
        if (rows++ === HEAD_ROWS) break;
        if (headers.length > 0 ? !isHeader(cells) : cells.length < width) continue;
        const places = Object.fromEntries(entries.map(([name, header]) => [name, place(header, cells)]));
        return { delimiter, headerRow: headers.length > 0 ? row : row - 1, places, isHeader };
      }
    } catch (error) {
      // The rows may be unreadable by a wrong delimiter.
      if (!(error instanceof StatementRefused)) throw error;
    }
  }
  return null;
}

function collectStated(cells: string[], stated: ReadStatement['stated']): void {
  for (const cell of cells) {
    const amount = HAS_TWO_DIGITS.test(cell) ? readAmount(cell) : null;
    if (amount !== null) stated.amounts.push(amount);
    else if (/^[\d๐-๙]{1,6}$/.test(cell)) stated.counts.push(Number(readAmount(cell) ?? 0n) / 100);
  }
}

const UNDATED = 'it has an amount and no date';
/** A cell with digits and no letters. Words in the column of an amount belong to a header or a footer. */
const IS_NUMBER = /^[^\p{L}]*[\d๐-๙][^\p{L}]*$/u;
/** Totals below a table have no time. */
const HAS_TIME = /[\d๐-๙]:[\d๐-๙]{2}/;
/** An amount with two fraction digits is complete, not cut off. */
const HAS_TWO_DIGITS = /[.][\d๐-๙]{2}[^\d๐-๙]*$/;

const AMOUNTS = ['amount', 'in', 'out'] as const;

/** The balance before a line. */
export const openingOf = ({ balance, amount }: Pick<ReadLine, 'balance' | 'amount'>): Satang | null =>
  balance === null ? null : balance - amount;

/** Amounts that a bank states about lines: what came in, what went out, the difference, and the balances around them. */
export function totalsOf(lines: Iterable<ReadLine>): (Satang | null)[] {
  let [incoming, all] = [0n, 0n];
  let [first, last]: ReadLine[] = [];
  for (const line of lines) {
    if (line.amount > 0n) incoming += line.amount;
    all += line.amount;
    first ??= line;
    last = line;
  }
  return first && last ? [incoming, incoming - all, all, openingOf(first), last.balance] : [];
}

/** Reads rows of the table, and collects the problems of wrong rows, up to `MAX_PROBLEMS`. */
class TableReader {
  private lines = 0;
  private readonly problems: string[] = [];
  /** Rows with one amount and no date: totals below the table, or lines that can't be imported. */
  private undated: { row: number; written: string }[] = [];
  /** The moments of the date that was read last, by their times. Many lines have the same moment, which is then read only once. */
  private readonly moments = new Map<string | null, Moment | null>();
  private date = '';
  private day: WrittenDay | null = null;
  /** The row that was read last. */
  private last: { cells: string[]; row: number } | null = null;

  private readonly places: Places;
  private readonly needsReference: boolean;

  constructor(
    private readonly table: Table,
    { isReferenceUnique }: StatementFormat,
    private readonly now: Date,
  ) {
    this.places = table.places;
    this.needsReference = isReferenceUnique && table.places.balance === undefined;
  }

  /** @returns null for a row that is not a line, and for a wrong row. */
  read(cells: string[], row: number): ReadLine | null {
    this.last = { cells, row };
    if (this.table.isHeader(cells)) return null;
    const cell = (name: ColumnName): string => cells[this.places[name] ?? -1] ?? '';
    const amount = this.amountOf(cell);
    if (amount === 0n) return null;
    if (!beginsWithDigit(cell('date'))) {
      if (HAS_TIME.test(cell('time'))) return this.refuse(row, UNDATED);
      const [written, other] = AMOUNTS.map(cell).filter((each) => IS_NUMBER.test(each) && readAmount(each) !== 0n);
      // A row with two amounts and no date has totals.
      if (written !== undefined && other === undefined) this.undated.push({ row, written });
      return null;
    }
    const moment = this.momentOf(cell('date'), this.places.time === undefined ? null : cell('time'));
    const balance = this.places.balance === undefined ? null : readBalance(cell('balance'));
    if (amount === null) return this.refuse(row, 'its amount is unreadable');
    if (!moment) return this.refuse(row, 'its date or time is unreadable, or more than a day ahead');
    if (balance === undefined) return this.refuse(row, 'its balance is unreadable');
    const reference = cell('reference');
    if (this.needsReference && reference === '') return this.refuse(row, 'it has no reference');
    for (const earlier of this.undated) this.refuse(earlier.row, UNDATED);
    this.undated = [];
    if (++this.lines > MAX_LINES) throw new StatementRefused('UNREADABLE', [`it has more than ${MAX_LINES} lines`]);
    const texts = [cell('text'), cell('details')].filter((each) => each !== '');
    const { day: bookedOn, at, precision } = moment;
    const timeText = this.places.time === undefined ? '' : cell('time');
    return { row, bookedOn, at, precision, amount, balance, timeText, texts, reference };
  }

  /**
   * Refuses a file that ends in an amount, without a line break, if that amount may be cut off. In a file with balances, the
   * balances show a cut.
   */
  refuseCutAmount(): void {
    const { amount, in: incoming, out, balance } = this.places;
    if (balance !== undefined || !this.last) return;
    const { cells, row } = this.last;
    const cell = cells.at(-1) ?? '';
    const isAmount = cell !== '' && [amount, incoming, out].includes(cells.length - 1);
    if (isAmount && !HAS_TWO_DIGITS.test(cell)) this.refuse(row, 'the file ends in its amount, and may be cut');
  }

  /** @param lines of the file, oldest first. @throws StatementRefused with the problems of wrong rows, up to `MAX_PROBLEMS`. */
  assertReadable(lines: Iterable<ReadLine>): void {
    const known = this.undated.length === 0 ? [] : totalsOf(lines).map((total) => abs(total ?? 0n));
    for (const { row, written } of this.undated) {
      const amount = readAmount(written);
      if (amount === null || !known.includes(abs(amount))) this.refuse(row, `${UNDATED}, and is no total of the lines`);
    }
    if (this.problems.length > 0) throw new StatementRefused('UNREADABLE', this.problems);
  }

  private momentOf(date: string, time: string | null): Moment | null {
    if (date !== this.date) {
      this.moments.clear();
      this.date = date;
      this.day = readDay(date, this.now);
    }
    const known = this.moments.get(time);
    if (known !== undefined) return known;
    const moment = this.day && momentOn(this.day, time === date ? this.day.rest : time, this.now);
    this.moments.set(time, moment);
    return moment;
  }

  /** @returns null for an unreadable amount, and for amounts in both columns; 0 for none. */
  private amountOf(cell: (name: ColumnName) => string): Satang | null {
    if (this.places.amount !== undefined) return readAmount(cell('amount'));
    const [incoming, outgoing] = [readAmount(cell('in')), readAmount(cell('out'))];
    if (incoming === null || outgoing === null || (incoming !== 0n && outgoing !== 0n)) return null;
    return incoming === 0n ? -abs(outgoing) : incoming;
  }

  private refuse(row: number, words: string): null {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(`line ${row}: ${words}`);
    return null;
  }
}

const abs = (amount: Satang): Satang => (amount < 0n ? -amount : amount);

/** @returns undefined for an unreadable or missing balance. */
const readBalance = (cell: string): Satang | undefined => (cell === '' ? undefined : (readAmount(cell) ?? undefined));

/** Whether a line's balance is the balance before plus the line's amount. Also true if one of the balances is missing. */
const follows = (before: ReadLine, line: ReadLine): boolean =>
  before.balance === null || line.balance === null || line.balance === before.balance + line.amount;

/**
 * Decides by the chain of balances, because the first or the last line may be a late one of an earlier day. If the balances fit
 * both orders or neither, decides by the times of the first and the last line.
 */
function isNewestFirst(lines: Iterable<ReadLine>): boolean {
  let [first, before]: ReadLine[] = [];
  let [isForward, isBackward] = [true, true];
  for (const line of lines) {
    if (before) {
      isForward &&= follows(before, line);
      isBackward &&= follows(line, before);
    }
    first ??= line;
    before = line;
  }
  if (!first || !before || first === before) return false;
  return isForward === isBackward ? first.at > before.at : isBackward;
}
