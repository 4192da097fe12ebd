import { Injectable } from '@nestjs/common';
import { failpoint } from '../core/failpoints.js';
import { Metrics } from '../core/metrics.js';
import { GroupCommit, locked, succeeded } from '../database/group-commit.js';
import { retryWrite } from '../database/retry-write.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { DeliveryObserver } from './delivery.observer.js';
import { DispatchRepository, type RecordedAttempt } from './dispatch.repository.js';
import type { AttemptOutcome } from './webhook-sender.js';

export interface EndedAttempt {
  deliveryId: bigint;
  webhookId: number;
  /** The number of the attempt, from 1. */
  number: number;
  startedAt: Date;
  outcome: AttemptOutcome;
}

/** Records outcomes of attempts in batches, and schedules wake-ups for retries. */
@Injectable()
export class AttemptRecorder {
  private readonly writer = new GroupCommit<EndedAttempt, RecordedAttempt | null>({
    commit: async (attempts, wait) => {
      const { recorded, free } = await this.deliveries.record(attempts.map(toRow), wait);
      failpoint('attempt.recorded');
      this.followUp(recorded);
      const inTime = new Set(recorded.map(({ id, attempt_count: number }) => nameOf(id, number)));
      // A patient batch leaves nothing out.
      const isFree = ({ webhookId }: EndedAttempt): boolean => wait === 'patiently' || free.has(webhookId);
      const late = attempts.filter(
        (each) => isFree(each) && hasDelivered(each) && !inTime.has(nameOf(each.deliveryId, each.number)),
      );
      const all = [...recorded, ...(await this.recordLate(late))];
      const byName = new Map(all.map((each) => [nameOf(each.id, each.attempt_count), each]));
      return attempts.map((attempt) =>
        isFree(attempt) ? succeeded(byName.get(nameOf(attempt.deliveryId, attempt.number)) ?? null) : locked,
      );
    },
    keyOf: ({ webhookId }) => webhookId,
    // No request waits for a record, so batches may be few and large. That leaves more of PostgreSQL to other work.
    maxInFlight: 1,
    maxBatch: 500,
    onBatch: (waitedMs) => this.metrics.batches.attempts(waitedMs),
  });

  constructor(
    private readonly deliveries: DispatchRepository,
    private readonly notifier: WorkNotifier,
    private readonly observer: DeliveryObserver,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Records an attempt, and retries while PostgreSQL is away or busy.
   * @param untilMs when to give up, in monotonic milliseconds: after its lease the attempt counts as interrupted.
   * @returns the delivery. Null if an earlier try was committed although its result was lost. Null also if the attempt
   * was recorded as interrupted before, and this record changes no status: the attempt failed, or another attempt is in
   * flight or requested.
   */
  record(attempt: EndedAttempt, untilMs: number): Promise<RecordedAttempt | null> {
    return retryWrite(() => this.writer.submit(attempt), untilMs);
  }

  /** Records attempts with expired leases as interrupted. Retries follow as after any failure. */
  async recordInterrupted(): Promise<void> {
    const recorded = await this.deliveries.recordInterrupted();
    this.followUp(recorded);
    this.observer.interrupted(recorded);
  }

  /** Corrects attempts that delivered but were recorded as interrupted. They are few, so they have their own statement. */
  private recordLate(attempts: EndedAttempt[]): Promise<RecordedAttempt[]> {
    return attempts.length === 0 ? Promise.resolve([]) : this.deliveries.recordLate(attempts.map(toRow));
  }

  private followUp(recorded: RecordedAttempt[]): void {
    for (const { webhook_id: webhookId, due_in_ms } of recorded)
      if (due_in_ms !== null) this.notifier.notifyWebhooks([webhookId], due_in_ms);
  }
}

const nameOf = (deliveryId: bigint, number: number): string => `${deliveryId}.${number}`;

const hasDelivered = ({ outcome: { status } }: EndedAttempt): boolean =>
  status !== null && status >= 200 && status <= 299;

const toRow = ({ deliveryId, webhookId, number, startedAt, outcome }: EndedAttempt) => ({
  delivery_id: deliveryId,
  webhook_id: webhookId,
  number,
  started_at: startedAt,
  response_status: outcome.status,
  error: outcome.error,
  response_body: outcome.bodyText,
  duration_ms: outcome.durationMs,
  retry_after: outcome.retryAfterSeconds,
});
