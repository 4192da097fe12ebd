import { DAY_MS, MINUTE_MS } from '../core/durations.js';
import type { Satang } from '../core/money.js';
import type { Deposit } from './deposit.entity.js';
import type { PaymentReason, Precision } from './incoming-payment.entity.js';

/** A deposit that a payment may be for. */
export type Candidate = Pick<
  Deposit,
  | ('id' | 'deposit_number' | 'channel_id' | 'merchant_id' | 'reference' | 'channel_payment_id' | 'status' | 'amount')
  | ('amount_to_pay' | 'created_at' | 'expires_at' | 'cancelled_at' | 'hold_until')
> & {
  /** Whether a payment for it waits because its wallet has no room. */
  is_full: boolean;
};

/** A payment, as a channel reports it. */
export interface ReportedPayment {
  amount: Satang;
  currency: string;
  paidAt: Date;
  precision: Precision;
  /** The names of deposits that it carries: our references and numbers, or the vendor's ids. Free text never counts. */
  references: readonly string[];
  /** Texts of its line. By these, a channel ignores lines that are no payments of merchants. */
  texts: readonly string[];
}

/** The result of matching. A waiting payment may name the deposit that it is probably for. */
export type Match =
  | { state: 'booked'; deposit: Candidate; by: 'reference' | 'amount' }
  | { state: 'waiting'; reason: PaymentReason; deposit: Candidate | null }
  | { state: 'ignored' };

export interface MatchingRules {
  channelId: number;
  recognizedBy: 'reference' | 'amount';
  holdAbove: Satang;
  /** The largest difference between the channel's clock and ours. */
  skewMs: number;
  ignored: readonly string[];
}

/** Another merchant's unpaid deposit of the amount, made within this time before a late payment, makes the payment ambiguous. */
const AMBIGUOUS_MS = 30 * DAY_MS;
/** A deposit of the amount that was made within this time after a payment is named as the probable one. */
export const TOO_EARLY_MS = 2 * DAY_MS;
/**
 * A deposit that was made longer than this before a payment can't match it by amount: an offer lasts at most a day and a hold
 * at most 30 days, and the rest is for clocks that differ. The time of ambiguity is shorter.
 */
export const RELEVANT_MS = 33 * DAY_MS;

/** A range of times around payments: from `beforeMs` before the first one until `afterMs` after the last one. */
export function rangeAround(
  reported: readonly Pick<ReportedPayment, 'paidAt'>[],
  beforeMs: number,
  afterMs: number,
): { from: Date; until: Date } {
  const times = reported.map(({ paidAt }) => paidAt.getTime());
  return {
    from: new Date(times.reduce((one, other) => Math.min(one, other)) - beforeMs),
    until: new Date(times.reduce((one, other) => Math.max(one, other)) + afterMs),
  };
}

const REFERENCE = /^D[0-9A-HJKMNP-TV-Z]{11}$/;

/** Our references in a text: whole words only, in any case of letters. */
export const referencesIn = (text: string): string[] =>
  [...text.toUpperCase().matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word).filter((word) => REFERENCE.test(word));

/** Whether a channel's texts ignore a line, because it is no payment of a merchant. */
export const isIgnored = ({ texts }: Pick<ReportedPayment, 'texts'>, ignored: readonly string[]): boolean =>
  texts.some((text) => ignored.includes(text));

const waits = (reason: PaymentReason, deposit: Candidate | null = null): Match => ({
  state: 'waiting',
  reason,
  deposit,
});

/**
 * Finds the deposit of each payment. If a match is not sure, an operator decides: there is no score, and no nearest amount. A
 * caller that books must acquire the channel's lock before it reads the deposits, so that nothing else can pay them. A preview
 * needs no lock.
 */
export class Matcher {
  private readonly byReference = new Map<string, Candidate>();
  private readonly byAmount = new Map<Satang, Candidate[]>();
  /** Deposits that have their payment, even if it waits because their wallets have no room. */
  private readonly paid = new Set<bigint>();

  constructor(
    private readonly rules: MatchingRules,
    candidates: readonly Candidate[],
  ) {
    for (const deposit of candidates) {
      for (const name of [deposit.reference, deposit.deposit_number, deposit.channel_payment_id])
        if (name !== null) this.byReference.set(name, deposit);
      if (deposit.status === 'paid' || deposit.is_full) this.paid.add(deposit.id);
      if (deposit.amount_to_pay === deposit.amount || deposit.channel_id !== rules.channelId) continue;
      const dealt = this.byAmount.get(deposit.amount_to_pay);
      if (dealt) dealt.push(deposit);
      else this.byAmount.set(deposit.amount_to_pay, [deposit]);
    }
  }

  /**
   * Payments must come in the order of their witness. If one is booked to a deposit, the deposit counts as paid for the next ones
   * that name no deposit.
   * @param orWaits lets a payment wait that would be booked.
   */
  match(payment: ReportedPayment, orWaits = (match: Match): Match => match): Match {
    const found = this.find(payment);
    if (found.state !== 'booked') return found;
    if (payment.amount > this.rules.holdAbove) return waits('LARGE', found.deposit);
    const match = orWaits(found);
    if (match.state === 'booked') this.paid.add(match.deposit.id);
    return match;
  }

  private find(payment: ReportedPayment): Match {
    if (payment.currency !== 'THB') return waits('WRONG_CURRENCY');
    if (isIgnored(payment, this.rules.ignored)) return { state: 'ignored' };
    const named = new Set(payment.references.flatMap((reference) => this.byReference.get(reference) ?? []));
    const [first, second] = named;
    if (first && second) return waits('AMBIGUOUS', first);
    // Two channels then have one account, and the other one reports this payment, too.
    if (first && first.channel_id !== this.rules.channelId) return waits('DOUBLE', first);
    if (first) return { state: 'booked', deposit: first, by: 'reference' };
    return this.rules.recognizedBy === 'amount' ? this.findByAmount(payment) : waits('UNMATCHED');
  }

  private findByAmount(payment: ReportedPayment): Match {
    const dealt = this.byAmount.get(payment.amount) ?? [];
    const [deposit, other] = dealt.filter((each) => this.isInTime(payment, each));
    if (other) return waits('AMBIGUOUS', deposit);
    if (!deposit) {
      const later = dealt.find((each) => !this.isAfterCreation(payment, each) && isSoon(payment, each));
      return later ? waits('TOO_EARLY', later) : waits('UNMATCHED');
    }
    if (this.paid.has(deposit.id)) return waits('DOUBLE', deposit);
    const isLate = clock(payment.paidAt, payment) > clock(endOfOffer(deposit), payment);
    if (isLate && dealt.some((each) => this.mayBeLatePayers(payment, each, deposit)))
      return waits('AMBIGUOUS', deposit);
    return { state: 'booked', deposit, by: 'amount' };
  }

  private isInTime(payment: ReportedPayment, deposit: Candidate): boolean {
    return (
      this.isAfterCreation(payment, deposit) && clock(payment.paidAt, payment) <= clock(deposit.hold_until, payment)
    );
  }

  private isAfterCreation(payment: ReportedPayment, { created_at }: Candidate): boolean {
    return clock(new Date(created_at.getTime() - this.rules.skewMs), payment) <= clock(payment.paidAt, payment);
  }

  /** Whether a payment that is late for `deposit` may be for another merchant's earlier, unpaid deposit of the amount. */
  private mayBeLatePayers({ paidAt }: ReportedPayment, earlier: Candidate, deposit: Candidate): boolean {
    return (
      earlier.merchant_id !== deposit.merchant_id &&
      earlier.created_at < deposit.created_at &&
      earlier.created_at.getTime() >= paidAt.getTime() - AMBIGUOUS_MS &&
      !this.paid.has(earlier.id)
    );
  }
}

const isSoon = ({ paidAt }: ReportedPayment, { created_at }: Candidate): boolean =>
  created_at.getTime() - paidAt.getTime() < TOO_EARLY_MS;

/** The end of the offer. A later payment may come from the payer of another deposit. */
const endOfOffer = ({ expires_at, cancelled_at }: Candidate): Date =>
  cancelled_at !== null && cancelled_at < expires_at ? cancelled_at : expires_at;

/** A time, cut to the minute for a payment that has only minutes. One that has only a day is never recognized by its amount. */
const clock = (time: Date, { precision }: ReportedPayment): number =>
  precision === 'minute' ? Math.floor(time.getTime() / MINUTE_MS) : time.getTime();
