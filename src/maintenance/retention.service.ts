import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { HOUR_MS } from '../core/durations.js';
import type { Logger } from '../core/logger.js';
import { MAX_BIGINT } from '../core/pagination.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database } from '../database/database.js';
import { OldPartitionsRepository, type IdRange } from '../database/partitions/old-partitions.repository.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { RetentionRepository, type EventBatch, type OpenRange } from './retention.repository.js';

/** The pause after a round that left old events behind. */
const SOON_MS = 10_000;
const BATCH = 100;
/** The pause between batches, so that the removal hardly slows orders. It allows about 900 events a second. */
const PAUSE_MS = 100;
/**
 * A round ends after this many young events in a row, because no old event is likely to follow. It does not end at the first
 * young event: ids follow time only roughly, above all after the clock of the database was wrong.
 */
const ENOUGH_YOUNG = 10_000;
const FAILED = 'old events could not be removed: retrying soon';

/**
 * Removes events older than WEBHOOK_LOG_DAYS, with their deliveries and attempts: every hour, in small batches, one
 * batch at a time over all workers. It retries locked events soon, and events with pending deliveries an hour later. It
 * leaves rows whose partition will be dropped soon to `OldPartitionsService`. It never removes orders, units, supplier
 * calls or transfers.
 */
@Injectable()
export class RetentionService {
  private nextRoundMs = 0;

  constructor(
    private readonly database: Database,
    private readonly events: RetentionRepository,
    private readonly partitions: OldPartitionsRepository,
    private readonly heartbeat: WorkerHeartbeatService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('old_events', { every: SOON_MS, offBy: 'WEBHOOK_LOG_DAYS', failed: FAILED })
  async removeIfDue(stop: AbortSignal, days: number): Promise<void> {
    // While no age can be trusted, the next round must come soon, and not in an hour.
    const isClockTrusted = this.heartbeat.retentionLimit().getTime() > 0;
    if (performance.now() < this.nextRoundMs || !isClockTrusted) return;
    const leftBehind = await this.removeOld(days, stop);
    if (leftBehind === 0) this.nextRoundMs = performance.now() + HOUR_MS;
  }

  /** @returns how many old events could not be removed. */
  private async removeOld(days: number, stop: AbortSignal): Promise<number> {
    const round = new Round(await this.partitions.waiting(days, this.heartbeat.retentionLimit()));
    while (!stop.aborted && !round.isOver) {
      const batch = await this.removeBatch(days, round);
      if (batch.removable.length > 0) await delay(PAUSE_MS);
    }
    if (round.removed > 0) this.logger.info({ events: round.removed }, 'old events were removed');
    return round.leftBehind;
  }

  private async removeBatch(days: number, round: Round): Promise<EventBatch> {
    let batch: EventBatch | undefined;
    try {
      const clockLimit = this.heartbeat.retentionLimit();
      await this.database.transaction(async (tx) => {
        batch = await this.events.lockBatch(tx, days, round.range, round.batchSize, clockLimit);
        if (batch) this.events.remove(tx, batch);
      });
    } catch (error) {
      // Without a batch, the round does not know where to continue.
      if (!batch) throw error;
      if (round.failed(batch)) this.logger.warn({ reason: (error as Error).message }, FAILED);
      return batch;
    }
    if (!batch) throw new Error('events could not be read');
    round.done(batch);
    return batch;
  }
}

/** The progress of a round. A round repeats a failed batch event by event, so that only the faulty event stays. */
class Round {
  /** The ids that are still to be read, up to the next range to skip. */
  range: OpenRange = { after: 0n, before: 0n };
  removed = 0;
  leftBehind = 0;
  isOver = false;
  private oneByOneUntil = 0n;
  private youngInARow = 0;

  /** @param waiting the ranges to skip, lowest ids first. */
  constructor(private readonly waiting: readonly IdRange[]) {
    this.goOnAfter(0n);
  }

  get batchSize(): number {
    return this.range.after < this.oneByOneUntil ? 1 : BATCH;
  }

  done(batch: EventBatch): void {
    this.removed += batch.removable.length;
    this.leftBehind += batch.blocked;
    this.pass(batch);
  }

  /** @returns whether this leaves an event behind. */
  failed(batch: EventBatch): boolean {
    const isAlone = this.batchSize === 1;
    if (isAlone) {
      this.leftBehind++;
      this.pass(batch);
    } else this.oneByOneUntil = batch.last_id ?? 0n;
    return isAlone;
  }

  private pass({ last_id: lastId, old, young }: EventBatch): void {
    this.youngInARow = old > 0 ? 0 : this.youngInARow + young;
    const isLastRange = this.range.before === MAX_BIGINT;
    this.isOver = (lastId === null && isLastRange) || this.youngInARow >= ENOUGH_YOUNG;
    this.goOnAfter(lastId ?? this.range.before - 1n);
  }

  private goOnAfter(id: bigint): void {
    this.range = { after: id, before: MAX_BIGINT };
    for (const { first, last } of this.waiting) {
      if (first > this.range.after + 1n) {
        this.range.before = first;
        return;
      }
      if (last > this.range.after) this.range.after = last;
    }
  }
}
