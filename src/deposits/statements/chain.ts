import { hash } from 'node:crypto';
import { formatBaht, type Satang } from '../../core/money.js';
import type { StatementLine } from './statement-line.entity.js';
import { StatementRefused } from './statement-refused.js';
import { openingOf, totalsOf, type ReadLine, type ReadStatement } from './statement-reader.js';

/** A line that can be distinguished from all others of its channel. */
export type IdentifiedLine = ReadLine & { identity: string };

/** An imported line, with the members that are compared with a file. */
export type StoredLine = Pick<StatementLine, 'booked_on' | 'at' | 'amount' | 'balance_after'> & {
  identity: string;
  /** Whether an operator confirmed that the bank has changed texts in lines of its day. */
  may_have_other_texts?: boolean;
};

/** The facts that one reading of a file's lines finds. */
export interface Ends {
  /** The number of all lines, and of the incoming ones. */
  count: number;
  incoming: number;
  first: ReadLine | undefined;
  last: ReadLine | undefined;
  /** Whether the days are in order. */
  isByDay: boolean;
}

/**
 * `lines`: the imported lines from the file's first day on, with the lines of earlier days that stand among them. `before`: the
 * last line of the days before.
 */
export interface Stored {
  before: StoredLine | null;
  lines: StoredLine[];
}

/** Lines that are made anew for each reading, so that they take no memory. */
const again = <Line>(lines: () => Iterator<Line>): Iterable<Line> => ({ [Symbol.iterator]: lines });

/** The lines that a condition keeps. @param keeps gets each line and its number from 0. */
export const linesWhere = (
  lines: Iterable<IdentifiedLine>,
  keeps: (line: IdentifiedLine, index: number) => boolean,
): Iterable<IdentifiedLine> =>
  again(function* () {
    let index = 0;
    for (const line of lines) if (keeps(line, index++)) yield line;
  });

/**
 * Gives each line its identity: the bank's reference where it is unique, else a hash of all that the line shows, with its number
 * among equal lines of that day. So a file must contain each of its days from the beginning. A repeated reference is refused.
 * @param isByDay whether the days are in order. Then it remembers only one day at a time, unless references are unique.
 */
export const identify = (
  lines: Iterable<ReadLine>,
  isReferenceUnique: boolean,
  isByDay = false,
): Iterable<IdentifiedLine> =>
  again(function* () {
    const occurrences = new Map<string, number>();
    let lastDay = '';
    for (const line of lines) {
      const { bookedOn, timeText, amount, balance, texts, reference, row } = line;
      if (isByDay && !isReferenceUnique && bookedOn !== lastDay) occurrences.clear();
      lastDay = bookedOn;
      const isNamed = isReferenceUnique && reference !== '';
      const shown = isNamed ? [reference] : [bookedOn, timeText, String(amount), String(balance), ...texts, reference];
      const key = sha256(shown, isNamed ? 'hex' : 'binary');
      const occurrence = (occurrences.get(key) ?? 0) + 1;
      occurrences.set(key, occurrence);
      if (isNamed && occurrence > 1) {
        throw new StatementRefused('UNREADABLE', [`line ${row}: its reference is in another line, too`]);
      }
      yield { ...line, identity: isNamed ? key : sha256([key, String(occurrence)], 'hex') };
    }
  });

const sha256 = (parts: readonly string[], as: 'hex' | 'binary'): string => hash('sha256', JSON.stringify(parts), as);

/**
 * Checks the balances and the stated totals of a file.
 * @throws StatementRefused unless each balance follows from the one before, and the totals and counts above the table agree.
 */
export function assertBalances({ lines, stated }: ReadStatement): Ends {
  let [first, last]: ReadLine[] = [];
  let [incoming, outgoing] = [0, 0];
  let isByDay = true;
  for (const line of lines) {
    const { balance, amount, row } = line;
    isByDay &&= last === undefined || line.bookedOn >= last.bookedOn;
    const before = last?.balance ?? null;
    if (before !== null && balance !== null && balance !== before + amount) {
      const words = `line ${row}: its balance is ${formatBaht(balance)}, but the lines before it lead to ${formatBaht(before + amount)}`;
      throw new StatementRefused('BALANCE_BROKEN', [words]);
    }
    if (amount > 0n) incoming++;
    else outgoing++;
    first ??= line;
    last = line;
  }
  const totals = stated.amounts.length === 0 ? [] : totalsOf(lines);
  const wrong = stated.amounts.find((amount) => totals.length > 0 && !totals.includes(amount));
  if (wrong !== undefined) {
    const words = `the file states ${formatBaht(wrong)}, which is none of its totals`;
    throw new StatementRefused('BALANCE_BROKEN', [words]);
  }
  const count = stated.counts.find((each) => ![incoming, outgoing].includes(each));
  if (count !== undefined) {
    throw new StatementRefused('BALANCE_BROKEN', [`the file states ${count} lines, which is none of its counts`]);
  }
  return { count: incoming + outgoing, incoming, first, last, isByDay };
}

/**
 * Compares a file that has balances with the imported lines. From the file's first day on, both must have the same lines until
 * one of them ends.
 * @returns the new lines.
 * @throws StatementRefused
 */
export function continueChain(
  lines: Iterable<IdentifiedLine>,
  { before, lines: stored }: Stored,
): Iterable<IdentifiedLine> {
  const [first] = lines;
  const last = stored.at(-1) ?? before;
  if (!first || !last) return lines;
  const [firstStored] = stored;
  const expected = firstStored
    ? openingOf({ balance: firstStored.balance_after, amount: firstStored.amount })
    : (before?.balance_after ?? null);
  if (openingOf(first) !== expected) throw otherBeginning(first, last, expected);
  let count = 0;
  for (const line of lines) {
    const known = stored[count];
    if (!known) return linesWhere(lines, (_, index) => index >= stored.length);
    const isSame = line.identity === known.identity && line.balance === known.balance_after;
    if (!isSame && !(known.may_have_other_texts && isInPlaceOf(line, known)))
      throw isInPlaceOf(line, known) ? otherTexts(line, known) : otherPast(lines, known);
    count++;
  }
  return [];
}

/** Whether a line moves the account as the imported one did, at the same place of the chain. */
const isInPlaceOf = ({ bookedOn, at, amount, balance }: IdentifiedLine, known: StoredLine): boolean =>
  bookedOn === known.booked_on &&
  at.getTime() === known.at.getTime() &&
  amount === known.amount &&
  balance === known.balance_after;

const otherTexts = ({ row }: IdentifiedLine, { booked_on }: StoredLine): StatementRefused =>
  new StatementRefused('LINE_MISSING', [`line ${row}: its texts differ from those of the imported line`], booked_on);

function otherBeginning(first: IdentifiedLine, last: StoredLine, expected: Satang | null): StatementRefused {
  const opening = formatBaht(openingOf(first) ?? 0n);
  const balances = `it begins with a balance of ${opening}, but the imported lines before it end with ${formatBaht(expected ?? 0n)}`;
  return first.at > last.at
    ? new StatementRefused('GAP', [`${balances}: lines are missing after ${last.at.toISOString()}`])
    : new StatementRefused('CHAIN_BROKEN', [
        `${balances}; files must begin at the beginning of a day that was imported`,
      ]);
}

/** Checks a file without balances. @throws StatementRefused if it lacks imported lines of its days before its last one. */
export function assertNoneMissing(lines: Iterable<IdentifiedLine>, stored: readonly StoredLine[]): void {
  const unseen = new Map(stored.map((line) => [line.identity, line]));
  let [firstOn, lastOn] = ['', ''];
  for (const { identity, bookedOn } of lines) {
    unseen.delete(identity);
    firstOn ||= bookedOn;
    lastOn = bookedOn;
  }
  const missing = [...unseen.values()].find(({ booked_on }) => booked_on >= firstOn && booked_on < lastOn);
  if (missing) throw otherPast(lines, missing);
}

function otherPast(lines: Iterable<IdentifiedLine>, { at, amount, identity }: StoredLine): StatementRefused {
  const line = `the imported line of ${formatBaht(amount)} at ${at.toISOString()}`;
  for (const each of lines)
    if (each.identity === identity)
      return new StatementRefused('CHAIN_BROKEN', [`the file has other lines before ${line}`]);
  return new StatementRefused('LINE_MISSING', [`the file lacks ${line}`]);
}
