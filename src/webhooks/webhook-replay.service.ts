import { Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { Database, type Transaction } from '../database/database.js';
import type { DeliveredEvent } from '../events/event.entity.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { DeliveriesRepository, type DeliveryRow, type DeliverySelection } from './deliveries.repository.js';
import type { DeliveryStatus } from './delivery.entity.js';

const REPLAY_BATCH = 1_000;

/** Selects a merchant's deliveries. An absent member does not limit the selection. */
export interface Replayed {
  merchantId: number;
  webhookId?: number | undefined;
  status: DeliveryStatus;
  event?: DeliveredEvent | undefined;
  /** Only deliveries that were created at this moment or later. */
  since: Date;
  /** Only deliveries up to this id. */
  upTo?: bigint | undefined;
}

interface ReplayOptions {
  /** The operator, for the audit log, which has an entry for each batch. */
  by?: Actor | undefined;
  /** Receives the number of deliveries retried so far. */
  onProgress?: (done: number) => void;
  /** Runs before each batch in its transaction. An error ends the replay. */
  beforeBatch?: (tx: Transaction) => Promise<void>;
}

/** Retries many deliveries. */
@Injectable()
export class WebhookReplayService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly notifier: WorkNotifier,
  ) {}

  /**
   * Retries every selected delivery. It skips a delivery whose webhook is inactive or deleted, or whose attempt is in flight.
   * @param atMost the number that {@link count} found. More deliveries may match meanwhile, and an operator may have
   * confirmed only this number.
   * @returns how many it retried.
   */
  async replay(
    replayed: Replayed,
    atMost: number,
    { by, onProgress, beforeBatch }: ReplayOptions = {},
  ): Promise<number> {
    const selection = toSelection(replayed);
    let done = 0;
    let above = (await this.deliveries.firstIdSince(selection.since)) - 1n;
    while (done < atMost) {
      const limit = Math.min(REPLAY_BATCH, atMost - done);
      const rows = await this.batch(selection, { above, limit }, by, beforeBatch);
      this.notifier.notifyWebhooks(rows.map(({ webhook_id }) => webhook_id));
      done += rows.length;
      onProgress?.(done);
      if (rows.length < limit) break;
      above = rows.reduce((highest, { id }) => (id > highest ? id : highest), above);
    }
    return done;
  }

  /** Counts the deliveries that {@link replay} would retry now. */
  async count(replayed: Replayed): Promise<number> {
    const selection = toSelection(replayed);
    return this.deliveries.countRetryable(selection, (await this.deliveries.firstIdSince(selection.since)) - 1n);
  }

  /** The highest id of a delivery so far, for `upTo`. */
  lastId(): Promise<bigint> {
    return this.deliveries.lastId();
  }

  private batch(
    selection: DeliverySelection,
    part: { above: bigint; limit: number },
    by: Actor | undefined,
    before: ReplayOptions['beforeBatch'],
  ): Promise<Pick<DeliveryRow, 'id' | 'webhook_id'>[]> {
    return this.database.transaction(async (tx) => {
      await before?.(tx);
      const rows = await this.deliveries.retryMany(tx, selection, part);
      const { merchantId, webhookId, status, event, since } = selection;
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

const toSelection = ({ webhookId, event, upTo, ...rest }: Replayed): DeliverySelection => ({
  ...rest,
  webhookId: webhookId ?? null,
  event: event ?? null,
  upTo: upTo ?? null,
});
