import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { AppError } from '../core/errors.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { isConnectionLost } from '../core/postgres-errors.js';
import { Database } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { WakeUps } from '../queues/wake-ups.js';
import { RECORD_ATTEMPTS, RECORD_INTERRUPTED, type RecordedAttempt } from './dispatch.sql.js';
import type { AttemptOutcome } from './webhook-sender.js';

export interface EndedAttempt {
  deliveryId: bigint;
  /** Its number, from 1. */
  number: number;
  outcome: AttemptOutcome;
}

const AGAIN_AFTER_MS = 500;

/** Records how attempts ended, in batches, and asks for a wake-up when a retry is due. */
@Injectable()
export class AttemptRecorder {
  private readonly writer = new GroupCommit<EndedAttempt, RecordedAttempt | null>({
    commit: async (attempts) => {
      const recorded = await this.database.query<RecordedAttempt>(RECORD_ATTEMPTS, toValues(attempts));
      failpoint('attempt.recorded');
      this.followUp(recorded);
      const byId = new Map(recorded.map((each) => [each.id, each]));
      return attempts.map(({ deliveryId }) => succeeded(byId.get(deliveryId) ?? null));
    },
    retryAlone: (error) => !(error instanceof AppError) && !isConnectionLost(error),
    // Nobody waits for one record: fewer and larger batches leave more of PostgreSQL to everything else.
    maxInFlight: 1,
    maxBatch: 500,
  });

  constructor(
    private readonly database: Database,
    private readonly wakeUps: WakeUps,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Records an attempt; while PostgreSQL is away or busy it tries again.
   * @param untilMs when to give up, in monotonic milliseconds: past its lease the attempt counts as interrupted.
   * @returns what became of the delivery, or null when the lease was given up before.
   */
  async record(attempt: EndedAttempt, untilMs: number): Promise<RecordedAttempt | null> {
    for (;;) {
      try {
        return await this.writer.submit(attempt);
      } catch (error) {
        if (performance.now() + AGAIN_AFTER_MS > untilMs) throw error;
        await delay(AGAIN_AFTER_MS);
      }
    }
  }

  /** Records attempts as interrupted whose lease has run out, and lets them be followed like any failed one. */
  async recordInterrupted(): Promise<void> {
    const recorded = await this.database.query<RecordedAttempt>(RECORD_INTERRUPTED);
    if (recorded.length > 0)
      this.logger.warn({ attempts: recorded.length }, 'delivery attempts were interrupted');
    this.followUp(recorded);
  }

  private followUp(recorded: RecordedAttempt[]): void {
    for (const { id, webhook_id: webhookId, status, attempt_count: attempts, due_in_ms } of recorded) {
      if (due_in_ms !== null) this.wakeUps.webhooks([webhookId], due_in_ms);
      if (status === 'failed')
        this.logger.info({ webhookId, deliveryId: String(id), attempts }, 'a delivery failed for good');
    }
  }
}

function toValues(attempts: EndedAttempt[]): unknown[] {
  const each = <Value>(value: (outcome: AttemptOutcome) => Value): Value[] =>
    attempts.map(({ outcome }) => value(outcome));
  return [
    attempts.map(({ deliveryId }) => deliveryId),
    attempts.map(({ number }) => number),
    each(({ status }) => status),
    each(({ error }) => error),
    each(({ bodyText }) => bodyText),
    each(({ durationMs }) => durationMs),
    each(({ retryAfterSeconds }) => retryAfterSeconds),
  ];
}
