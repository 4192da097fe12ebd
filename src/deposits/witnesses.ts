import { DAY_MS, MINUTE_MS } from '../core/durations.js';
import { groupBy } from '../core/groups.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import type { Match, ReportedPayment } from './matching.js';

/** A payment that is still without its other witness, a line or a slip. */
export type LonePayment = Pick<
  IncomingPayment,
  | ('id' | 'public_id' | 'amount' | 'currency' | 'paid_at' | 'precision' | 'charge_ref' | 'slip_ref' | 'line_id')
  | ('state' | 'reason' | 'deposit_id' | 'merchant_id' | 'transfer_id' | 'booked_by' | 'booked_at' | 'decision')
> & {
  /** The reference of its deposit, if the channel recognizes payments by references. */
  reference: string | null;
};

type Reported = Pick<ReportedPayment, 'amount' | 'paidAt' | 'precision' | 'references'>;

/** Whether another witness may still book the payment. A payment that waits for room in its wallet has its deposit already. */
export const isUndecided = ({ state, reason }: LonePayment): boolean => state === 'waiting' && reason !== 'WALLET_FULL';

/** How far apart the times of two witnesses of one payment may be. */
export const WITNESS_GAP_MS = 10 * MINUTE_MS;

/** Whether the statements that were imported must show a payment of this time. */
export const isCovered = (paidAt: Date, coveredUntil: Date | null): boolean =>
  coveredUntil !== null && coveredUntil.getTime() - paidAt.getTime() >= WITNESS_GAP_MS;

/**
 * Until when statements cover a channel once it has these lines. A line dated ahead has a wrong time, so it covers nothing.
 * @param before until when they covered it before.
 */
export function coveredBy(before: Date | null, lines: readonly { at: Date }[]): Date | null {
  const now = new Date();
  const last = lines.findLast(({ at }) => at <= now)?.at;
  return last !== undefined && (before === null || last > before) ? last : before;
}

/** The gap between two times. A time with the precision `day` is the whole day. */
function gapMs(one: Reported, other: LonePayment): number {
  const [early, late] = [
    { at: one.paidAt.getTime(), precision: one.precision },
    { at: other.paid_at.getTime(), precision: other.precision },
  ].toSorted((a, b) => a.at - b.at);
  if (!early || !late) return Infinity;
  return Math.max(0, late.at - early.at - (early.precision === 'day' ? DAY_MS : 0));
}

export const namesDeposit = ({ references }: Reported, { reference }: LonePayment): boolean =>
  reference !== null && references.includes(reference);

/**
 * The reference of the deposit that the other witness names; null if it names none. A deposit that a person chose does
 * not count, because the witness need not name it. The deposit of an ambiguous payment does not, because it is only the
 * first of two.
 */
const namedBefore = ({ reference, reason, booked_by }: LonePayment): string | null =>
  booked_by === 'person' || reason === 'AMBIGUOUS' ? null : reference;

/** Two witnesses that name deposits must name the same one: equal amounts of two deposits are two payments. */
export const mayBeOne = (reported: Reported, payment: LonePayment): boolean =>
  payment.amount === reported.amount &&
  gapMs(reported, payment) <= WITNESS_GAP_MS &&
  (reported.references.length === 0 || namedBefore(payment) === null || namesDeposit(reported, payment));

/**
 * Finds the payments of slips that lines confirm. First pairs lines and slips that name the same deposit, then the rest, each in the
 * given order, that of time. A line without a reference is not paired with an undecided slip that has a named deposit.
 * @param confirms whether a line may confirm a decided payment whose deposit it does not name.
 */
export function pairWithLines<Line extends Reported>(
  lines: readonly Line[],
  slips: readonly LonePayment[],
  confirms: (line: Line, slip: LonePayment) => boolean,
): Map<Line, LonePayment> {
  const pairs = new Map<Line, LonePayment>();
  const byAmount = groupBy(slips, ({ amount }) => amount);
  const paired = new Set<LonePayment>();
  const pair = (line: Line, fits: (slip: LonePayment) => boolean): void => {
    const found = byAmount.get(line.amount)?.find((slip) => !paired.has(slip) && mayBeOne(line, slip) && fits(slip));
    if (!found) return;
    pairs.set(line, found);
    paired.add(found);
  };
  for (const line of lines) pair(line, (slip) => namesDeposit(line, slip));
  const fits = (line: Line, slip: LonePayment): boolean =>
    isUndecided(slip) ? line.references.length > 0 || namedBefore(slip) === null : confirms(line, slip);
  for (const line of lines) if (!pairs.has(line)) pair(line, (slip) => fits(line, slip));
  return pairs;
}

/**
 * Whether a line of a channel that recognizes payments by references confirms a decided payment whose deposit it does not name. A line
 * that names a deposit does if an operator credited that deposit's merchant: a wrong pair then changes no wallet. A line that names none
 * does if the payment can have no line of its own any more. Else the payment's own line would book its deposit again.
 * @param merchants of the deposits that lines name, by their references.
 */
export const confirmsByReference = (
  { references }: Reported,
  { merchant_id, paid_at }: LonePayment,
  merchants: ReadonlyMap<string, number>,
  coveredUntil: Date | null,
): boolean =>
  references.length > 0
    ? merchant_id !== null && references.some((reference) => merchants.get(reference) === merchant_id)
    : isCovered(paid_at, coveredUntil);

/**
 * Finds the payment that a line reported and a slip confirms: one of the deposit that the slip names, else the nearest in time.
 * @param isShown whether the imported lines already include the slip's line, if it has one. Callers pass true where amounts identify
 * deposits. If false, an undecided line that names no deposit may be another payment, so it is no match for a slip that names one.
 */
export const lineOf = (slip: Reported, lines: readonly LonePayment[], isShown: boolean): LonePayment | null =>
  lines
    .filter((line) => mayBeOne(slip, line))
    .filter((line) => isShown || slip.references.length === 0 || namesDeposit(slip, line) || !isUndecided(line))
    .toSorted(
      (one, other) =>
        Number(namesDeposit(slip, other)) - Number(namesDeposit(slip, one)) || gapMs(slip, one) - gapMs(slip, other),
    )[0] ?? null;

/**
 * Whether an operator returned or ignored it, or credited it to any deposit. If the channel's texts ignored a line, the
 * line has no decision.
 */
const isDecided = ({ state, booked_by, decision }: LonePayment): boolean =>
  booked_by === 'person' || (decision !== null && (state === 'returned' || state === 'ignored'));

/**
 * A payment waits if the other witness alone reports another payment of the same amount, at most a day apart, and that payment
 * belongs to the same deposit, booked or waiting, or an operator decided it. If a clock is far off, both may be one payment, and only a
 * person can tell. An ignored payment was credited to nobody. So a payment that names its deposit waits because of an ignored
 * one only if the times fit.
 * @param others payments of the other witness.
 */
export const orWaits = (reported: Reported, match: Match, others: readonly LonePayment[]): Match =>
  match.state === 'booked' &&
  others.some(
    (other) =>
      (other.deposit_id === match.deposit.id || isDecided(other)) &&
      other.amount === reported.amount &&
      gapMs(reported, other) <= (other.state === 'ignored' && match.by === 'reference' ? WITNESS_GAP_MS : DAY_MS),
  )
    ? { state: 'waiting', reason: 'DOUBLE', deposit: match.deposit }
    : match;

/** A payment without a matching deposit waits as `DOUBLE`, not as `UNMATCHED`, if it may be a slip's payment that an operator decided. */
export const orMayBeDecided = (reported: Reported, match: Match, slips: readonly LonePayment[]): Match =>
  match.state === 'waiting' &&
  match.reason === 'UNMATCHED' &&
  slips.some((slip) => isDecided(slip) && mayBeOne(reported, slip))
    ? { ...match, reason: 'DOUBLE' }
    : match;

/** What is known of a payment from both witnesses: the time to the second, if either has it, and the deposits that either names. */
export function withKnown(reported: ReportedPayment, known: LonePayment | null | undefined): ReportedPayment {
  if (!known) return reported;
  const { precision, paid_at: paidAt } = known;
  const reference = namedBefore(known);
  return {
    ...reported,
    ...(precision === 'second' && { paidAt, precision }),
    references: [...reported.references, ...(reference === null ? [] : [reference])],
  };
}
