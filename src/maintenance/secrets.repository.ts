import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { Operator } from '../operators/operator.entity.js';
import { SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { SupplierCallback } from '../supplier-callbacks/supplier-callback.entity.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { UnitDelivery } from '../unit-deliveries/unit-delivery.entity.js';
import { Webhook } from '../webhooks/webhook.entity.js';

/** A column that holds sealed secrets. */
export interface SealedColumn {
  entity: EntityTarget<ObjectLiteral>;
  column: string;
}

/** Every one that there is. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { entity: Webhook, column: 'secret_sealed' satisfies keyof Webhook },
  { entity: Webhook, column: 'previous_secret_sealed' satisfies keyof Webhook },
  { entity: Supplier, column: 'token_sealed' satisfies keyof Supplier },
  { entity: Supplier, column: 'credentials_sealed' satisfies keyof Supplier },
  { entity: Supplier, column: 'callback_token_sealed' satisfies keyof Supplier },
  { entity: SupplierCallback, column: 'body_sealed' satisfies keyof SupplierCallback },
  { entity: UnitDelivery, column: 'sealed' satisfies keyof UnitDelivery },
  { entity: SupplierReversal, column: 'delivered_sealed' satisfies keyof SupplierReversal },
  { entity: Operator, column: 'totp_sealed' satisfies keyof Operator },
  { entity: Operator, column: 'totp_offered_sealed' satisfies keyof Operator },
];

export interface SealedSecret {
  /** As text where it is a bigint. */
  id: number | string;
  sealed: Buffer;
}

@Injectable()
export class SecretsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** In the order of ids. @param after the last id of the page before. */
  page({ entity, column }: SealedColumn, after: number | string, limit: number): Promise<SealedSecret[]> {
    return this.dataSource
      .createQueryBuilder(entity, 'holder')
      .select('holder.id', 'id')
      .addSelect(`holder.${column}`, 'sealed')
      .where(`holder.${column} IS NOT NULL`)
      .andWhere('holder.id > :after', { after })
      .orderBy('holder.id')
      .limit(limit)
      .getRawMany<SealedSecret>();
  }

  /** @returns whether it was still there to be replaced. */
  async replace(
    { entity, column }: SealedColumn,
    { id, sealed }: SealedSecret,
    resealed: Buffer,
  ): Promise<boolean> {
    const changesWhen = this.dataSource.getMetadata(entity).updateDateColumn;
    const { affected } = await this.dataSource
      .createQueryBuilder()
      .update(entity)
      // Sealed anew, it is the same secret: nothing was changed that anybody should hear of.
      .set({ [column]: resealed, ...(changesWhen && { updated_at: () => 'updated_at' }) })
      .where({ id, [column]: sealed })
      .execute();
    return affected === 1;
  }
}
