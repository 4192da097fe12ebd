import { Injectable } from '@nestjs/common';
import { failpoint } from '../core/failpoints.js';
import { mostHelpful, type Failure } from '../core/failures.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import type { UnitKey } from '../orders/order.rows.js';
import { SettlementRepository, type CallRecord } from '../orders/settlement.repository.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import type { Refusal } from '../suppliers/supplier-outcome.js';
import { AttemptsRepository, type EndedRow, type NextAttempt } from './attempts.repository.js';

/** An attempt that certainly bought nothing. */
export interface EndedAttempt {
  key: UnitKey;
  attempt: number;
  /** The claim whose call ended the attempt; null without a call. */
  claim: number | null;
  /** Set if the refusal is about one send. Then it ends the attempt only if that was sent once. */
  isAboutOneSend?: boolean;
  /** Null if no send of the attempt was ever accepted. */
  refusal: Refusal | null;
  /** For the order history. */
  calls: CallRecord[];
  /** Makes further writes in the transaction that begins the next attempt. */
  alsoWrite?: (tx: Transaction) => void;
}

/** Begins the next attempt for a unit whose latest attempt ended without a purchase. */
@Injectable()
export class FailoverService {
  private readonly writer = new GroupCommit<EndedAttempt, NextAttempt | null>({
    commit: async (ended) => {
      const begun = await this.database.transaction((tx) => this.beginBatch(tx, ended));
      if (begun.length > 0) failpoint('unit.reattempted');
      return ended.map((each) => succeeded(begun.find((next) => isOf(each, next)) ?? null));
    },
    onBatch: (waitedMs) => this.metrics.batches.reattempt(waitedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly attempts: AttemptsRepository,
    private readonly settlement: SettlementRepository,
    private readonly notifier: WorkNotifier,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Begins another attempt, if a repeat or an offer is left. The ended attempt must still be the latest attempt of its unit,
   * and without a refusal it must not be in doubt.
   * Callers must retry when it throws SERVICE_UNAVAILABLE or a timeout of PostgreSQL.
   * @returns null if no attempt begins: then nothing was changed.
   */
  async begin(ended: EndedAttempt): Promise<NextAttempt | null> {
    failpoint('unit.refused');
    const next = await this.writer.submit(ended);
    if (next) this.notifier.notifyFulfilment([next.supplier_id], next.due_in_ms);
    return next;
  }

  /** Chooses, from the failures of all attempts of the unit and `last`, the one that helps the merchant most. */
  async mostHelpful(key: UnitKey, attempt: number, last: Failure): Promise<Failure> {
    return attempt > 1 ? mostHelpful([...(await this.attempts.listFailures(key)), last]) : last;
  }

  private async beginBatch(tx: Transaction, ended: EndedAttempt[]): Promise<NextAttempt[]> {
    const begun = await this.attempts.beginNext(tx, ended.map(toRow));
    const replaced = ended.filter((each) => begun.some((next) => isOf(each, next)));
    this.settlement.recordCalls(
      tx,
      replaced.flatMap(({ calls }) => calls),
    );
    for (const { alsoWrite } of replaced) alsoWrite?.(tx);
    return begun;
  }
}

const toRow = ({ key, attempt, claim, isAboutOneSend = false, refusal }: EndedAttempt): EndedRow => ({
  order_id: key.orderId,
  item: key.item,
  unit: key.unit,
  attempt,
  claim,
  is_about_one_send: isAboutOneSend,
  ended_as: refusal ? 'failed' : 'withdrawn',
  failure_code: refusal?.code ?? null,
  failure_message: refusal?.message ?? null,
  failover: refusal?.failover ?? refusal === null,
  retry_after_ms: refusal?.retryAfterMs ?? null,
});

const isOf = ({ key, attempt }: EndedAttempt, next: NextAttempt): boolean =>
  next.order_id === key.orderId && next.item === key.item && next.unit === key.unit && next.attempt === attempt + 1;
