import { createHash } from 'node:crypto';
import { formatBaht, type Satang } from '../../core/money.js';
import type { StatementLine } from './statement-line.entity.js';
import { StatementRefused } from './statement-refused.js';
import { openingOf, totalsOf, type ReadLine, type ReadStatement } from './statement-reader.js';

/** A line that can be distinguished from all others of its channel. */
export type IdentifiedLine = ReadLine & { identity: string };

/** An imported line, as far as the next file must continue it. */
export type StoredLine = Pick<StatementLine, 'booked_on' | 'at' | 'amount' | 'balance_after'> & {
  identity: string;
  /** Whether an operator confirmed that the bank has changed texts of its day. */
  may_have_other_texts?: boolean;
};

/** Imported lines from the file's first day on, and the last one before that day. */
export interface Stored {
  before: StoredLine | null;
  lines: StoredLine[];
}

/**
 * Gives each line its identity: the bank's reference where it is unique, else a hash of all that the line shows, with its number
 * among equal lines of that day. So a file must have whole days from their beginning.
 * @throws StatementRefused for a reference that comes twice.
 */
export function identify(lines: readonly ReadLine[], isReferenceUnique: boolean): IdentifiedLine[] {
  const occurrences = new Map<string, number>();
  return lines.map((line) => {
    const { bookedOn, timeText, amount, balance, texts, reference, row } = line;
    const isNamed = isReferenceUnique && reference !== '';
    const shown = isNamed ? [reference] : [bookedOn, timeText, String(amount), String(balance), ...texts, reference];
    const key = sha256(shown, isNamed ? 'hex' : 'binary');
    const occurrence = (occurrences.get(key) ?? 0) + 1;
    occurrences.set(key, occurrence);
    if (isNamed && occurrence > 1) {
      throw new StatementRefused('UNREADABLE', [`line ${row}: its reference is in another line, too`]);
    }
    return Object.assign(line, { identity: isNamed ? key : sha256([key, String(occurrence)], 'hex') });
  });
}

const sha256 = (parts: readonly string[], as: 'hex' | 'binary'): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest(as);

/** @throws StatementRefused unless each balance follows from the one before, and totals above the table agree. */
export function assertBalances({ lines, stated }: ReadStatement): void {
  lines.forEach(({ balance, amount, row }, index) => {
    const before = lines[index - 1]?.balance ?? null;
    if (before === null || balance === null || balance === before + amount) return;
    const words = `line ${row}: its balance is ${formatBaht(balance)}, and ${formatBaht(before + amount)} follows from the lines before`;
    throw new StatementRefused('BALANCE_BROKEN', [words]);
  });
  const totals = totalsOf(lines);
  const wrong = stated.amounts.find((amount) => totals.length > 0 && !totals.includes(amount));
  if (wrong !== undefined) {
    const words = `the file states ${formatBaht(wrong)}, which is none of its totals`;
    throw new StatementRefused('BALANCE_BROKEN', [words]);
  }
  const counts = [lines.filter(({ amount }) => amount > 0n).length, lines.filter(({ amount }) => amount < 0n).length];
  const count = stated.counts.find((each) => !counts.includes(each));
  if (count !== undefined) {
    throw new StatementRefused('BALANCE_BROKEN', [`the file states ${count} lines, which is none of its counts`]);
  }
}

/**
 * Compares a file that has balances with the imported lines. Both must be the same as far as both go.
 * @returns the new lines.
 * @throws StatementRefused
 */
export function continueChain(lines: readonly IdentifiedLine[], { before, lines: stored }: Stored): IdentifiedLine[] {
  const [first] = lines;
  const last = stored.at(-1) ?? before;
  if (!first || !last) return [...lines];
  const [firstStored] = stored;
  const expected = firstStored
    ? openingOf({ balance: firstStored.balance_after, amount: firstStored.amount })
    : (before?.balance_after ?? null);
  if (openingOf(first) !== expected) throw otherBeginning(first, last, expected);
  stored.forEach((known, index) => {
    const line = lines[index];
    const isSame = line && line.identity === known.identity && line.balance === known.balance_after;
    if (isSame || (line && known.may_have_other_texts && isInPlaceOf(line, known))) return;
    // The last day of a file may still go on.
    const isAfterFile = line === undefined && known.booked_on >= (lines.at(-1)?.bookedOn ?? '');
    if (!isAfterFile) throw line && isInPlaceOf(line, known) ? otherTexts(line, known) : otherPast(lines, known);
  });
  return lines.slice(stored.length);
}

/** Whether a line moves the account as the imported one did, at the same place of the chain. */
const isInPlaceOf = ({ bookedOn, at, amount, balance }: IdentifiedLine, known: StoredLine): boolean =>
  bookedOn === known.booked_on &&
  at.getTime() === known.at.getTime() &&
  amount === known.amount &&
  balance === known.balance_after;

function otherTexts({ row }: IdentifiedLine, { booked_on }: StoredLine): StatementRefused {
  const advice = `if the bank changed them, import with --accept-texts-of ${booked_on}`;
  return new StatementRefused('LINE_MISSING', [
    `line ${row}: its texts differ from those of the imported line; ${advice}`,
  ]);
}

function otherBeginning(first: IdentifiedLine, last: StoredLine, expected: Satang | null): StatementRefused {
  const opening = formatBaht(openingOf(first) ?? 0n);
  const balances = `it begins with a balance of ${opening}, and the imported lines leave ${formatBaht(expected ?? 0n)} before it`;
  return first.at > last.at
    ? new StatementRefused('GAP', [`${balances}: lines are missing after ${last.at.toISOString()}`])
    : new StatementRefused('CHAIN_BROKEN', [
        `${balances}; files must begin at the beginning of a day that was imported`,
      ]);
}

/** @throws the refusal of a file without balances that lacks imported lines of the days before its last one. */
export function assertNoneMissing(lines: readonly IdentifiedLine[], stored: readonly StoredLine[]): void {
  const lastOn = lines.at(-1)?.bookedOn ?? '';
  const present = new Set(lines.map(({ identity }) => identity));
  const missing = stored.find(({ booked_on, identity }) => booked_on < lastOn && !present.has(identity));
  if (missing) throw otherPast(lines, missing);
}

function otherPast(lines: readonly IdentifiedLine[], { at, amount, identity }: StoredLine): StatementRefused {
  const line = `the imported line of ${formatBaht(amount)} at ${at.toISOString()}`;
  return lines.some((each) => each.identity === identity)
    ? new StatementRefused('CHAIN_BROKEN', [`the file has other lines before ${line}`])
    : new StatementRefused('LINE_MISSING', [`the file lacks ${line}`]);
}
