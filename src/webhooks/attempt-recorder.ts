import { Injectable } from '@nestjs/common';
import { failpoint } from '../core/failpoints.js';
import { Metrics } from '../core/metrics.js';
import { Database, LIMIT_LOCK_WAIT } from '../database/database.js';
import { GroupCommit, locked, LOCK_WAIT_MS, succeeded } from '../database/group-commit.js';
import { writtenAtLast } from '../database/while-away.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { DeliveryObserver } from './delivery-observer.js';
import {
  LOCK_FREE_WEBHOOKS,
  RECORD_ATTEMPTS,
  RECORD_INTERRUPTED,
  type RecordedAttempt,
} from './dispatch.sql.js';
import type { AttemptOutcome } from './webhook-sender.js';

export interface EndedAttempt {
  deliveryId: bigint;
  webhookId: number;
  /** Its number, from 1. */
  number: number;
  startedAt: Date;
  outcome: AttemptOutcome;
}

interface Recorded {
  /** The webhooks whose attempts could be recorded. */
  free: Set<number>;
  recorded: RecordedAttempt[];
}

/** Records how attempts ended, in batches, and asks for a wake-up when a retry is due. */
@Injectable()
export class AttemptRecorder {
  private readonly writer = new GroupCommit<EndedAttempt, RecordedAttempt | null>({
    commit: async (attempts, wait) => {
      const { free, recorded } =
        wait === 'never' ? await this.recordFree(attempts) : await this.recordAll(attempts);
      failpoint('attempt.recorded');
      this.followUp(recorded);
      const byId = new Map(recorded.map((each) => [each.id, each]));
      return attempts.map((attempt) =>
        free.has(attempt.webhookId) ? succeeded(byId.get(attempt.deliveryId) ?? null) : locked,
      );
    },
    keyOf: ({ webhookId }) => webhookId,
    // Nobody waits for one record: fewer and larger batches leave more of PostgreSQL to everything else.
    maxInFlight: 1,
    maxBatch: 500,
    onBatch: (waitedMs) => this.metrics.batches.attempts(waitedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly notifier: WorkNotifier,
    private readonly observer: DeliveryObserver,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Records an attempt; while PostgreSQL is away or busy it tries again.
   * @param untilMs when to give up, in monotonic milliseconds: past its lease the attempt counts as interrupted.
   * @returns what became of the delivery, or null when the lease was given up before.
   */
  record(attempt: EndedAttempt, untilMs: number): Promise<RecordedAttempt | null> {
    return writtenAtLast(() => this.writer.submit(attempt), untilMs);
  }

  /** Records attempts as interrupted whose lease has run out, and lets them be followed like any failed one. */
  async recordInterrupted(): Promise<void> {
    const recorded = await this.database.query<RecordedAttempt>(RECORD_INTERRUPTED);
    this.followUp(recorded);
    this.observer.interrupted(recorded);
  }

  private async recordAll(attempts: EndedAttempt[]): Promise<Recorded> {
    const recorded = await this.database.query<RecordedAttempt>(RECORD_ATTEMPTS, toValues(attempts));
    return { free: new Set(attempts.map(({ webhookId }) => webhookId)), recorded };
  }

  /** Leaves out the attempts of webhooks that somebody else has locked. */
  private recordFree(attempts: EndedAttempt[]): Promise<Recorded> {
    return this.database.transaction(async (tx) => {
      tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS.never]);
      const asked = [...new Set(attempts.map(({ webhookId }) => webhookId))];
      const webhooks = await tx.query<{ id: number }>(LOCK_FREE_WEBHOOKS, [asked]);
      const free = new Set(webhooks.map(({ id }) => id));
      const kept = attempts.filter(({ webhookId }) => free.has(webhookId));
      return { free, recorded: await tx.query<RecordedAttempt>(RECORD_ATTEMPTS, toValues(kept)) };
    });
  }

  private followUp(recorded: RecordedAttempt[]): void {
    for (const { webhook_id: webhookId, due_in_ms } of recorded)
      if (due_in_ms !== null) this.notifier.notifyWebhooks([webhookId], due_in_ms);
  }
}

function toValues(attempts: EndedAttempt[]): unknown[] {
  const each = <Value>(value: (outcome: AttemptOutcome) => Value): Value[] =>
    attempts.map(({ outcome }) => value(outcome));
  return [
    attempts.map(({ deliveryId }) => deliveryId),
    attempts.map(({ webhookId }) => webhookId),
    attempts.map(({ number }) => number),
    attempts.map(({ startedAt }) => startedAt),
    each(({ status }) => status),
    each(({ error }) => error),
    each(({ bodyText }) => bodyText),
    each(({ durationMs }) => durationMs),
    each(({ retryAfterSeconds }) => retryAfterSeconds),
  ];
}
