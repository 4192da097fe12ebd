import { Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { Database, type Transaction } from '../database/database.js';
import type { DeliveredEvent } from '../events/event.entity.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { DeliveriesRepository, type DeliveryRow, type Which } from './deliveries.repository.js';
import type { DeliveryStatus } from './delivery.entity.js';

const REPLAY_BATCH = 1_000;

/** Which of a merchant's deliveries are meant; what is not given may be anything. */
export interface Replayed {
  merchantId: number;
  /** One of the merchant's; else all of them. */
  webhookId?: number | undefined;
  status: DeliveryStatus;
  event?: DeliveredEvent | undefined;
  /** Created at or after. */
  since: Date;
  /** Only those up to this id: what was made later is left. */
  upTo?: bigint | undefined;
}

interface ReplayOptions {
  /** The operator, for their log, which keeps each batch with its own transaction. */
  by?: Actor | undefined;
  /** Is told how many are retried. */
  onProgress?: (done: number) => void;
  /** Goes before each batch, in its transaction; what it throws ends the replay. */
  beforeBatch?: (tx: Transaction) => Promise<void>;
}

/** Attempts many deliveries once more. */
@Injectable()
export class WebhookReplayService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly notifier: WorkNotifier,
  ) {}

  /**
   * Retries, as for one delivery, every delivery that is meant. Those of inactive or deleted webhooks, and those with an
   * attempt in flight, are passed over.
   * @returns how many.
   */
  async replay(replayed: Replayed, { by, onProgress, beforeBatch }: ReplayOptions = {}): Promise<number> {
    const which = toWhich(replayed);
    let done = 0;
    let above = (await this.deliveries.firstIdSince(which.since)) - 1n;
    for (;;) {
      const rows = await this.batch(which, above, by, beforeBatch);
      this.notifier.notifyWebhooks(rows.map(({ webhook_id }) => webhook_id));
      done += rows.length;
      onProgress?.(done);
      if (rows.length < REPLAY_BATCH) return done;
      above = rows.reduce((highest, { id }) => (id > highest ? id : highest), above);
    }
  }

  /** How many deliveries {@link replay} would retry now. */
  async count(replayed: Replayed): Promise<number> {
    const which = toWhich(replayed);
    return this.deliveries.countRetryable(which, (await this.deliveries.firstIdSince(which.since)) - 1n);
  }

  /** The highest id that a delivery has by now: with it as `upTo`, what is made later is left. */
  lastId(): Promise<bigint> {
    return this.deliveries.lastId();
  }

  private batch(
    which: Which,
    above: bigint,
    by: Actor | undefined,
    before: ReplayOptions['beforeBatch'],
  ): Promise<Pick<DeliveryRow, 'id' | 'webhook_id'>[]> {
    return this.database.transaction(async (tx) => {
      await before?.(tx);
      const rows = await this.deliveries.retryMany(tx, which, { above, limit: REPLAY_BATCH });
      const { merchantId, webhookId, status, event, since } = which;
      const detail = {
        replayed: rows.length,
        status,
        since: since.toISOString(),
        ...(webhookId === null ? {} : { webhook: webhookId }),
        ...(event === null ? {} : { event }),
      };
      if (rows.length > 0) recordAction(tx, by, { action: 'webhook.replay', merchantId, detail });
      return rows;
    });
  }
}

const toWhich = ({ webhookId, event, upTo, ...rest }: Replayed): Which => ({
  ...rest,
  webhookId: webhookId ?? null,
  event: event ?? null,
  upTo: upTo ?? null,
});
