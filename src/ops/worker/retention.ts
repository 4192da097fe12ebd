import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { Database, type Statement } from '../../database/database.js';
import { SchemaService } from '../../database/schema.service.js';
import { Recurring } from './recurring.js';

const INTERVAL_MS = 3_600_000;
const BATCH = 100;
/** Between batches, so that orders hardly notice; some 900 events a second are far more than come in. */
const PAUSE_MS = 100;
/** Any number of its own does. */
const LOCK = 7_038_168;

interface Removed {
  /** The last old event that was looked at; null when there was none, or another worker is at it. */
  last_id: bigint | null;
  removed: number;
}

/**
 * Removes old events with their deliveries and attempts; what waits for an attempt stays. Events are numbered in the
 * order of time, so the oldest are found without a search.
 * $1 age in days, $2 after this event, $3 how many to look at.
 */
const REMOVE: Statement = {
  name: 'retention.remove',
  text: `
    WITH oldest AS (
      SELECT id, created_at FROM events
      WHERE id > $2 AND pg_try_advisory_xact_lock(${LOCK}) ORDER BY id LIMIT $3),
    aged AS (
      SELECT id, created_at FROM oldest WHERE created_at < statement_timestamp() - make_interval(days => $1)),
    old AS (
      SELECT id, created_at FROM aged
      WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = aged.id AND d.status = 'pending')),
    attempts AS (
      DELETE FROM webhook_attempts WHERE delivery_id IN (
        SELECT id FROM webhook_deliveries WHERE event_id IN (SELECT id FROM old))),
    deliveries AS (DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM old)),
    gone AS (DELETE FROM events WHERE id IN (SELECT id FROM old)),
    noted AS (
      UPDATE event_retention SET removed_until = greatest(removed_until, (SELECT max(created_at) FROM old))
      WHERE EXISTS (SELECT 1 FROM old))
    SELECT (SELECT max(id) FROM aged) AS last_id, (SELECT count(*)::int FROM old) AS removed`,
};

/**
 * Removes events, deliveries and attempts that are older than WEBHOOK_LOG_DAYS, every hour, in small batches and by
 * one worker at a time. Orders, units, supplier calls and movements of money are kept for ever.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly removing: Recurring;

  constructor(
    schema: SchemaService,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.removing = new Recurring({
      whenReady: () => schema.whenReady(),
      intervalMs: INTERVAL_MS,
      run: (stop) => this.removeOld(stop),
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'old events could not be removed: tried again in an hour'),
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.WEBHOOK_LOG_DAYS > 0) this.removing.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.removing.stop();
  }

  private async removeOld(stop: AbortSignal): Promise<void> {
    let after = 0n;
    let total = 0;
    while (!stop.aborted) {
      const values = [this.config.WEBHOOK_LOG_DAYS, after, BATCH];
      const [batch] = await this.database.query<Removed>(REMOVE, values);
      // Not at the first batch of which nothing could go: others lie behind what still waits.
      if (!batch || batch.last_id === null) break;
      after = batch.last_id;
      total += batch.removed;
      await delay(PAUSE_MS);
    }
    if (total > 0) this.logger.info({ events: total }, 'old events were removed');
  }
}
