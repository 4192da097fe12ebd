import { setTimeout as delay } from 'node:timers/promises';
import { outcomeDetail } from '../../suppliers/supplier-outcome.js';
import { inquiryAbout, type NamedAttempt } from '../../suppliers/supplier-adapter.js';
import type { SupplierConnection } from '../../suppliers/supplier-registry.js';

const MAX_IN_FLIGHT = 16;
const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;
/**
 * The inquirer gives up after this many unanswered references in a row. Otherwise, if the supplier is down, each reference costs a
 * timeout.
 */
const GIVE_UP_AFTER = 20;

/** A supplier's result for a reference. */
export type Answered = 'succeeded' | 'failed' | 'processing' | 'never_seen';

/** Queries one supplier about many references, several at a time, and gives up if the supplier does not answer. */
export class Inquirer {
  /** References without a usable answer, or not queried after giving up. */
  unanswered = 0;
  /** The problem of the latest query without a usable answer. */
  lastProblem: string | null = null;
  /** References that are not in `listed`, and that the supplier can't be queried about without the risk of buying. */
  unaskable = 0;
  private unansweredInARow = 0;

  /** @param listed results from a statement of the supplier, for references that can't be queried. */
  constructor(
    private readonly supplier: SupplierConnection,
    private readonly listed: ReadonlyMap<string, Answered>,
  ) {}

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
    await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, queryNext));
    return answers;
  }

  private async query(named: NamedAttempt): Promise<Answered | null> {
    const { adapter, settings } = this.supplier;
    const inquiry = inquiryAbout(adapter, named.supplierReference !== null);
    if (inquiry?.mayBuy !== false) {
      const listed = this.listed.get(named.reference) ?? null;
      if (listed === null) this.unaskable++;
      return listed;
    }
    let waitMs = FIRST_WAIT_MS;
    for (let attempt = 1; this.unansweredInARow < GIVE_UP_AFTER; attempt++) {
      const outcome = await inquiry.query(settings, named);
      if (outcome.kind !== 'unknown' && outcome.kind !== 'not_accepted') {
        this.unansweredInARow = 0;
        return outcome.kind;
      }
      this.lastProblem = outcomeDetail(outcome) ?? this.lastProblem;
      if (attempt === MAX_ATTEMPTS) break;
      await delay(Math.min(outcome.retryAfterMs ?? waitMs, MAX_WAIT_MS));
      waitMs *= 2;
    }
    this.unanswered++;
    this.unansweredInARow++;
    return null;
  }
}
