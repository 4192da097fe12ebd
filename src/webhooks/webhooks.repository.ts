import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { present } from '../core/invariant.js';
import type { Transaction } from '../database/database.js';
import { Webhook } from './webhook.entity.js';

/** The settings of a webhook. Absent settings get their defaults in a new webhook, and do not change in an existing one. */
export type Settings = Partial<
  Pick<Webhook, 'url' | 'status' | 'events' | 'max_retries' | 'retry_delay' | 'include_deliveries'>
>;

export type NewSecret = Pick<Webhook, 'secret_sealed' | 'secret_hint'>;

/** A new secret. For `overlapSeconds`, messages also have a signature with the old secret. */
type Rotation = NewSecret & { overlapSeconds: number };

export interface Changes {
  settings: Settings;
  rotation?: Rotation | undefined;
  /** Whether waiting deliveries must be adapted to the new settings. */
  waitingIsStale: boolean;
}

/** A webhook that is to be changed. */
type WebhookBefore = Pick<Webhook, 'status' | 'waiting_is_stale' | 'secret_sealed'>;

/** A webhook whose settings are locked until the transaction ends, with the current time. */
export type LockedWebhook = Pick<Webhook, 'status'> & { now: Date };

type Columns = QueryDeepPartialEntity<Webhook>;

/** Webhooks, except deleted ones. */
@Injectable()
export class WebhooksRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The webhooks in the order of registration. */
  list(merchantId: number): Promise<Webhook[]> {
    return this.dataSource.manager.find(Webhook, { where: ofMerchant(merchantId), order: { id: 'ASC' } });
  }

  find(
    merchantId: number,
    id: number,
    { manager }: Pick<Transaction, 'manager'> = this.dataSource,
  ): Promise<Webhook | null> {
    return manager.findOneBy(Webhook, { id, ...ofMerchant(merchantId) });
  }

  /** Counts a merchant's webhooks. Locks the merchant's row, so that no registration raises the number meanwhile. */
  async lockCount({ manager }: Transaction, merchantId: number): Promise<number> {
    await manager.findOne('Merchant', {
      select: { id: true },
      where: { id: merchantId },
      lock: { mode: 'for_no_key_update' },
    });
    return manager.countBy(Webhook, ofMerchant(merchantId));
  }

  async insert({ manager }: Transaction, merchantId: number, webhook: Settings & NewSecret): Promise<Webhook> {
    const { identifiers } = await manager.insert(Webhook, { merchant_id: merchantId, ...webhook });
    const { id } = present(identifiers[0], 'a webhook was written') as Pick<Webhook, 'id'>;
    return manager.findOneByOrFail(Webhook, { id });
  }

  /** The caller must hold the webhook's lock. */
  async change(tx: Transaction, merchantId: number, id: number, changes: Changes): Promise<void> {
    const { settings, rotation, waitingIsStale } = changes;
    await this.update(tx, merchantId, id, {
      ...settings,
      ...(rotation ? rotated(rotation) : {}),
      ...(waitingIsStale ? { waiting_is_stale: true } : {}),
    });
  }

  /** @returns whether the webhook existed. */
  delete(tx: Transaction, merchantId: number, id: number): Promise<boolean> {
    const deleted_at = (): string => 'statement_timestamp()';
    return this.update(tx, merchantId, id, { deleted_at, waiting_is_stale: true });
  }

  /** What a change depends on. Locks the webhook, so that concurrent changes run one after the other. */
  lockForChange({ manager }: Transaction, merchantId: number, id: number): Promise<WebhookBefore | null> {
    return manager.findOne(Webhook, {
      select: { id: true, status: true, waiting_is_stale: true, secret_sealed: true },
      where: { id, ...ofMerchant(merchantId) },
      lock: { mode: 'for_no_key_update' },
    });
  }

  private async update({ manager }: Transaction, merchantId: number, id: number, columns: Columns): Promise<boolean> {
    // `updated_at` must rise with each change, even after a clock was set back: WaitingDeliveriesService recognizes a change by it.
    const updated_at = (): string => `greatest(statement_timestamp(), updated_at + interval '1 millisecond')`;
    const which = { id, ...ofMerchant(merchantId) };
    const { affected } = await manager.update(Webhook, which, { ...columns, updated_at });
    return affected === 1;
  }

  lock({ manager }: Transaction, merchantId: number, id: number): Promise<LockedWebhook | undefined> {
    return manager
      .createQueryBuilder(Webhook, 'webhook')
      .select('webhook.status', 'status')
      .addSelect(`date_trunc('milliseconds', statement_timestamp())`, 'now')
      .where({ id, ...ofMerchant(merchantId) })
      .setLock('pessimistic_read')
      .getRawOne<LockedWebhook>();
  }
}

const ofMerchant = (merchantId: number): FindOptionsWhere<Webhook> => ({
  merchant_id: merchantId,
  deleted_at: IsNull(),
});

function rotated({ overlapSeconds, ...secret }: Rotation): Columns {
  const expiry = `statement_timestamp() + interval '${overlapSeconds} seconds'`;
  return {
    ...secret,
    previous_secret_sealed: overlapSeconds > 0 ? () => 'secret_sealed' : null,
    previous_secret_expires_at: overlapSeconds > 0 ? () => expiry : null,
  };
}
