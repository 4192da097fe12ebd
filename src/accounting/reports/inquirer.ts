import { setTimeout as delay } from 'node:timers/promises';
import { present } from '../../core/invariant.js';
import { outcomeDetail, type Fault, type SupplierOutcome } from '../../suppliers/supplier-outcome.js';
import {
  inquiryAbout,
  type ListedPurchase,
  type NamedAttempt,
  type ReadingInquiry,
  type SupplierAdapter,
  type SupplierBalance,
  type Unavailable,
} from '../../suppliers/supplier-adapter.js';
import type { SupplierConnection } from '../../suppliers/supplier-registry.js';

const MAX_IN_FLIGHT = 16;
const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
/** The inquirer gives up if the supplier requests a longer wait. */
const MAX_WAIT_MS = 60_000;
/**
 * The inquirer gives up after this many unanswered references in a row. Otherwise, if the supplier is down, each reference costs a
 * timeout.
 */
const GIVE_UP_AFTER = 20;

/** A supplier's result for a reference. */
export type Answered = 'succeeded' | 'failed' | 'processing' | 'never_seen';

export type ListedResult = Pick<ListedPurchase, 'supplierReference' | 'state'>;

interface Limits {
  /** The supplier's own limit of calls in flight; null for the usual limit. */
  maxInFlight: number | null;
  /** Purchases of a statement of the supplier, by our references, for references that can't be queried. */
  listed: ReadonlyMap<string | null, ListedResult[]>;
  /** Finds why no call may begin now; null if calls may. */
  findBar: () => Promise<Unavailable | null>;
  /** Is called when the supplier refuses our credentials or bans us. */
  onRefusal: (refusal: Unavailable & { retryAfterMs?: number }) => Promise<unknown>;
}

/**
 * Queries one supplier about many references, several at a time. Gives up if the supplier does not answer, and at once if it requests
 * a long wait, refuses our credentials or bans us: each further call could prolong a ban, which also stops the workers.
 */
export class Inquirer {
  /** References without a usable answer, or not queried after giving up. */
  unanswered = 0;
  /** References that are not in `listed`, and that the supplier can't be queried about without the risk of buying. */
  unaskable = 0;
  /** Why no further call may begin; null while calls may. */
  bar: Unavailable | null;
  private lastProblem: string | null = null;
  private unansweredInARow = 0;
  /** No call begins before this time, in monotonic milliseconds. */
  private notBeforeMs = 0;

  private readonly settings: unknown;

  /** @param connection or why there is none: then there are results only for references that can't be queried, from `listed`. */
  constructor(
    private readonly adapter: SupplierAdapter | undefined,
    connection: SupplierConnection | Unavailable,
    private readonly limits: Limits,
  ) {
    this.bar = 'known' in connection ? connection : null;
    this.settings = 'known' in connection ? null : connection.settings;
  }

  /** Why the latest references have no usable answer; null if all have one. */
  get problem(): string | null {
    return this.bar?.detail ?? this.lastProblem;
  }

  /** Reads our balance, unless no call may begin. Before the first query, this is the only call with wrong credentials. */
  async balance(): Promise<SupplierBalance> {
    this.bar ??= await this.limits.findBar();
    if (this.bar) return this.bar;
    const adapter = present(this.adapter, 'a supplier that may be called has an adapter');
    const balance = await adapter.balance(this.settings);
    if (!balance.known && isRefusal(balance.fault)) await this.stopAfter(balance);
    return balance;
  }

  /**
   * @param onAnswer is called after each attempt, even without a usable answer.
   * @returns a result for each attempt, in order; null without a usable answer.
   */
  async queryAll(attempts: readonly NamedAttempt[], onAnswer: () => void): Promise<(Answered | null)[]> {
    const answers: (Answered | null)[] = attempts.map(() => null);
    let next = 0;
    const queryNext = async (): Promise<void> => {
      for (let at = next++; at < attempts.length; at = next++) {
        const attempt = attempts[at];
        if (attempt) answers[at] = await this.query(attempt);
        onAnswer();
      }
    };
    const length = Math.min(this.limits.maxInFlight ?? MAX_IN_FLIGHT, MAX_IN_FLIGHT);
    await Promise.all(Array.from({ length }, queryNext));
    return answers;
  }

  /** Of several purchases under a reference, the attempt's own one counts, or else the last one, which was paid back if any was. */
  private listedResult({ reference, supplierReference }: NamedAttempt): Answered | null {
    const purchases = this.limits.listed.get(reference) ?? [];
    const own = purchases.find((each) => supplierReference !== null && each.supplierReference === supplierReference);
    return (own ?? purchases.at(-1))?.state ?? null;
  }

  private async query(named: NamedAttempt): Promise<Answered | null> {
    const inquiry = this.adapter && inquiryAbout(this.adapter, named.supplierReference !== null);
    if (inquiry?.mayBuy !== false) {
      const listed = this.listedResult(named);
      if (listed === null) this.unaskable++;
      return listed;
    }
    const answered = await this.inquire(inquiry, named);
    this.unansweredInARow = answered === null ? this.unansweredInARow + 1 : 0;
    if (answered === null) this.unanswered++;
    return answered;
  }

  private async inquire(inquiry: ReadingInquiry, named: NamedAttempt): Promise<Answered | null> {
    let waitMs = Math.max(FIRST_WAIT_MS, inquiry.minGapMs);
    for (let attempt = 1; await this.mayCall(); attempt++) {
      const outcome = await inquiry.query(this.settings, named);
      if (outcome.kind !== 'unknown' && outcome.kind !== 'not_accepted') return outcome.kind;
      const requestedMs = await this.note(outcome);
      if (attempt === MAX_ATTEMPTS || this.isOver()) return null;
      await delay(Math.max(waitMs, requestedMs));
      waitMs *= 2;
    }
    return null;
  }

  /** Records the problem of an outcome. @returns the wait that the supplier requests. */
  private async note(outcome: Extract<SupplierOutcome, { kind: 'unknown' | 'not_accepted' }>): Promise<number> {
    const { detail, fault, retryAfterMs = 0 } = outcome;
    this.lastProblem = outcomeDetail(outcome) ?? this.lastProblem;
    if (isRefusal(fault)) await this.stopAfter({ known: false, detail, offersNone: false, fault, retryAfterMs });
    else if (retryAfterMs > MAX_WAIT_MS) {
      const wait = `${detail}; it wants no call for ${Math.ceil(retryAfterMs / 1_000)} s: run the report again then`;
      this.bar ??= { known: false, detail: wait, offersNone: false, fault: 'rate' };
    } else this.notBeforeMs = Math.max(this.notBeforeMs, performance.now() + retryAfterMs);
    return retryAfterMs;
  }

  private async stopAfter(refusal: Unavailable & { retryAfterMs?: number }): Promise<void> {
    this.bar ??= refusal;
    await this.limits.onRefusal(refusal);
  }

  /** Waits as long as the supplier requests. @returns false after giving up. */
  private async mayCall(): Promise<boolean> {
    for (let ms; (ms = this.notBeforeMs - performance.now()) > 0;) await delay(ms);
    if (!this.isOver()) this.bar ??= await this.limits.findBar();
    return !this.isOver();
  }

  private isOver(): boolean {
    return this.bar !== null || this.unansweredInARow >= GIVE_UP_AFTER;
  }
}

const isRefusal = (fault: Fault | Unavailable['fault']): fault is 'credentials' | 'ban' =>
  fault === 'credentials' || fault === 'ban';
