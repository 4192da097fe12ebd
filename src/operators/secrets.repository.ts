import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { channelPlace, DepositChannel } from '../deposits/deposit-channel.entity.js';
import { lineTextPlace, StatementLine } from '../deposits/statements/statement-line.entity.js';
import type { Place } from '../core/secret-box.js';
import { Operator, totpPlace } from './operator.entity.js';
import { SupplierCallback } from '../fulfilment/callbacks/supplier-callback.entity.js';
import { SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { callbackBodyPlace } from '../fulfilment/callbacks/supplier-callback.entity.js';
import { Supplier, supplierPlace } from '../suppliers/supplier.entity.js';
import { UnitDeliveries, unitDeliveryPlace } from '../orders/codes/unit-deliveries.entity.js';
import { Webhook, webhookSecretPlace } from '../webhooks/webhook.entity.js';

/** A column that holds sealed secrets. */
export interface SealedColumn {
  entity: EntityTarget<ObjectLiteral>;
  column: string;
  /** The columns from which `placeOf` makes the place of the secret. */
  by: readonly string[];
  placeOf: (row: never) => Place;
}

/** @param by the columns that make up the place. */
const sealed = <Row extends ObjectLiteral, By extends keyof Row & string>(
  entity: new () => Row,
  column: keyof Row & string,
  by: readonly By[],
  place: (row: Pick<Row, By>) => Place,
): SealedColumn => ({ entity, column, by, placeOf: place });

/** All columns with sealed secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealed(Webhook, 'secret_sealed', ['id'], ({ id }) => webhookSecretPlace(id)),
  sealed(Webhook, 'previous_secret_sealed', ['id'], ({ id }) => webhookSecretPlace(id)),
  sealed(Supplier, 'token_sealed', ['code'], ({ code }) => supplierPlace('token_sealed', code)),
  sealed(Supplier, 'credentials_sealed', ['code'], ({ code }) => supplierPlace('credentials_sealed', code)),
  sealed(Supplier, 'callback_token_sealed', ['code'], ({ code }) => supplierPlace('callback_token_sealed', code)),
  sealed(SupplierCallback, 'body_sealed', ['supplier_id', 'order_id', 'item', 'unit', 'attempt'], callbackBodyPlace),
  sealed(UnitDeliveries, 'sealed', ['order_id', 'item', 'unit'], unitDeliveryPlace),
  sealed(SupplierReversal, 'delivered_sealed', ['order_id', 'item', 'unit'], unitDeliveryPlace),
  sealed(DepositChannel, 'credentials_sealed', ['code'], ({ code }) => channelPlace('credentials_sealed', code)),
  sealed(DepositChannel, 'callback_token_sealed', ['code'], ({ code }) => channelPlace('callback_token_sealed', code)),
  sealed(StatementLine, 'text_sealed', ['identity_hash'], ({ identity_hash }) =>
    lineTextPlace(identity_hash.toString('hex')),
  ),
  sealed(Operator, 'totp_sealed', ['id'], ({ id }) => totpPlace('totp_sealed', id)),
  sealed(Operator, 'totp_offered_sealed', ['id'], ({ id }) => totpPlace('totp_offered_sealed', id)),
];

interface SealedSecret {
  /** A bigint comes as text. */
  id: number | string;
  sealed: Buffer;
  place: Place;
}

@Injectable()
export class SecretsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** In the order of ids. @param after the last id of the previous page. */
  async page(
    { entity, column, by, placeOf }: SealedColumn,
    after: number | string,
    limit: number,
  ): Promise<SealedSecret[]> {
    const query = this.dataSource
      .createQueryBuilder(entity, 'holder')
      .select('holder.id', 'holder_id')
      .addSelect(`holder.${column}`, 'sealed_secret')
      .where(`holder.${column} IS NOT NULL`)
      .andWhere('holder.id > :after', { after })
      .orderBy('holder.id')
      .limit(limit);
    for (const each of by) query.addSelect(`holder.${each}`, each);
    const rows = await query.getRawMany<{ holder_id: number | string; sealed_secret: Buffer }>();
    return rows.map(({ holder_id: id, sealed_secret, ...row }) => ({
      id,
      sealed: sealed_secret,
      place: placeOf(row as never),
    }));
  }

  /** @returns false if the secret has changed meanwhile. */
  async replace(
    { entity, column }: SealedColumn,
    { id, sealed }: Pick<SealedSecret, 'id' | 'sealed'>,
    resealed: Buffer,
  ): Promise<boolean> {
    const changesWhen = this.dataSource.getMetadata(entity).updateDateColumn;
    const { affected } = await this.dataSource
      .createQueryBuilder()
      .update(entity)
      // The secret itself stays the same, so `updated_at` must not change.
      .set({ [column]: resealed, ...(changesWhen && { updated_at: () => 'updated_at' }) })
      .where({ id, [column]: sealed })
      .execute();
    return affected === 1;
  }
}
