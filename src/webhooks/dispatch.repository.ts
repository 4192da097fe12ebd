import { Injectable } from '@nestjs/common';
import { Database, LIMIT_LOCK_WAIT, type Queryable } from '../database/database.js';
import { LOCK_WAIT_MS } from '../database/group-commit.js';
import type { ClaimRequest } from '../queues/leased-work.js';
import * as sql from './dispatch.sql.js';
import type { ClaimedDelivery } from './dispatch.sql.js';
import * as recording from './recording.sql.js';
import type { RecordedAttempt } from './recording.sql.js';

export type { ClaimedDelivery } from './dispatch.sql.js';
export type { RecordedAttempt } from './recording.sql.js';

type Attempts = Parameters<typeof recording.RECORD_ATTEMPTS.with>[0]['attempts'];

/** Deliveries as work: who may attempt each, when it is due, and how attempts ended. */
@Injectable()
export class DispatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes due deliveries and begins an attempt for each.
   * @param slotsPerWebhook over all workers.
   */
  claim(
    { partitions, total, name }: ClaimRequest,
    slotsPerWebhook: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const webhooks = partitions.map(({ id, slots }) => ({ webhook_id: id, slots }));
    return this.database.batch<ClaimedDelivery>(
      sql.LOCK_CLAIMS.with({ webhooks: partitions.map(({ id }) => id) }),
      sql.CLAIM_DELIVERIES.with({ webhooks, total, slotsPerWebhook, leaseMs, name }),
    );
  }

  /** @returns what became of those deliveries whose leases had not been given up. */
  record(attempts: Attempts, tx: Queryable = this.database): Promise<RecordedAttempt[]> {
    return tx.query<RecordedAttempt>(...recording.RECORD_ATTEMPTS.with({ attempts }));
  }

  /** Attempts that delivered, and that were recorded as interrupted before. @returns the deliveries that have succeeded by it. */
  recordLate(attempts: Attempts): Promise<RecordedAttempt[]> {
    return this.database.query<RecordedAttempt>(...recording.RECORD_LATE.with({ attempts }));
  }

  /**
   * The same as {@link record}, leaving out the attempts of webhooks that another transaction has locked.
   * @returns also the webhooks whose attempts could be recorded.
   */
  recordFree(attempts: Attempts): Promise<{ free: Set<number>; recorded: RecordedAttempt[] }> {
    return this.database.transaction(async (tx) => {
      tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS.never]);
      const ids = [...new Set(attempts.map(({ webhook_id }) => webhook_id))];
      const webhooks = await tx.query<{ id: number }>(...sql.LOCK_FREE_WEBHOOKS.with({ ids }));
      const free = new Set(webhooks.map(({ id }) => id));
      const kept = attempts.filter(({ webhook_id }) => free.has(webhook_id));
      return { free, recorded: await this.record(kept, tx) };
    });
  }

  /** Ends attempts as interrupted whose leases have run out. */
  recordInterrupted(): Promise<RecordedAttempt[]> {
    return this.database.query<RecordedAttempt>(recording.RECORD_INTERRUPTED);
  }

  findOverdue(): Promise<{ id: number }[]> {
    return this.database.query<{ id: number }>(sql.FIND_OVERDUE);
  }

  /** A delivery whose attempt never began: it does not count. */
  undoClaim(delivery: ClaimedDelivery, dueInSeconds = 0): Promise<unknown> {
    const { id, attempt_count: attempt, attempt_started_at: startedAt } = delivery;
    return this.database.query(...sql.UNDO_CLAIM.with({ id, attempt, startedAt, dueInSeconds }));
  }

  undoClaims(names: string[]): Promise<unknown> {
    return this.database.query(...sql.UNDO_CLAIMS.with({ names }));
  }

  takeOverClaims(processes: string[]): Promise<unknown> {
    return this.database.query(...sql.TAKE_OVER_DELIVERIES.with({ processes }));
  }

  pullBack(limit: number): Promise<unknown[]> {
    return this.database.query(...sql.PULL_BACK_DELIVERIES.with({ limit }));
  }
}
