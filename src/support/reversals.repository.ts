import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type SelectQueryBuilder } from 'typeorm';
import { present } from '../core/invariant.js';
import type { Transaction } from '../database/database.js';
import { Order } from '../orders/order.entity.js';
import { OrderReference } from '../orders/order-reference.entity.js';
import { SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { Supplier } from '../suppliers/supplier.entity.js';

type OrderColumns = Pick<Order, 'order_number' | 'merchant_id'>;
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** A discrepancy with its supplier. Number and merchant of the order are null if the purchase belongs to no order. */
export type ReversalRow = Omit<SupplierReversal, 'delivered_sealed'> & JoinedColumns;

type JoinedColumns = Nullable<OrderColumns> & {
  supplier: Supplier['code'];
  /** Whether the order is archived. Then its number and merchant come from `order_references`. */
  archived: boolean;
  /** Whether the supplier handed something over, such as a code. */
  handed_over: boolean;
};

export interface ReversalsFilter {
  open?: boolean | undefined;
  /** The codes of suppliers. */
  suppliers?: string[] | undefined;
  /** The list begins after the discrepancy with this id. */
  before?: number | undefined;
  limit: number;
}

@Injectable()
export class ReversalsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first. */
  list({ open, suppliers, before, limit }: ReversalsFilter): Promise<ReversalRow[]> {
    const query = select(this.dataSource).orderBy('reversal.id', 'DESC').limit(limit);
    if (before !== undefined) query.andWhere('reversal.id < :before', { before });
    if (open) query.andWhere({ status: 'open' });
    if (suppliers) query.andWhere('supplier.code IN (:...suppliers)', { suppliers });
    return rowsOf(query);
  }

  async find(id: number): Promise<ReversalRow | undefined> {
    const [found] = await rowsOf(select(this.dataSource).where({ id }));
    return found;
  }

  /** @returns the ids that exist. */
  async listExisting(ids: number[]): Promise<number[]> {
    const found = await this.dataSource.manager.find(SupplierReversal, {
      select: { id: true },
      where: { id: In(ids) },
    });
    return found.map(({ id }) => id);
  }

  /** Returns the supplier's deliveries, sealed; null if the supplier handed nothing over. */
  async findHandedOver(id: number): Promise<Buffer | null> {
    const found = await this.dataSource.manager.findOne(SupplierReversal, {
      select: { id: true, delivered_sealed: true },
      where: { id },
    });
    return found?.delivered_sealed ?? null;
  }

  /**
   * Locks the order first, as settlements do, so that a report about the order waits and then reads the caller's
   * changes.
   */
  async lock(
    tx: Transaction,
    { id, order_id }: Pick<ReversalRow, 'id' | 'order_id'>,
  ): Promise<ReversalRow | undefined> {
    if (order_id !== null) {
      const lock = { mode: 'for_no_key_update' } as const;
      await tx.manager.findOne(Order, { select: { id: true }, where: { id: order_id }, lock });
    }
    const query = select(tx).where({ id }).setLock('for_no_key_update', undefined, ['reversal']);
    const [locked] = await rowsOf(query);
    return locked;
  }

  async close({ manager }: Transaction, id: number): Promise<void> {
    const closed_at = (): string => 'statement_timestamp()';
    await manager.update(SupplierReversal, { id }, { status: 'closed', closed_at });
  }
}

const select = ({ manager }: Pick<Transaction, 'manager'>): SelectQueryBuilder<SupplierReversal> =>
  manager
    .createQueryBuilder(SupplierReversal, 'reversal')
    .leftJoin(Order, 'placed', 'placed.id = reversal.order_id')
    .leftJoin(OrderReference, 'stored', 'stored.order_id = reversal.order_id')
    .innerJoin(Supplier, 'supplier', 'supplier.id = reversal.supplier_id')
    .addSelect('coalesce(placed.order_number, stored.order_number)', 'order_number')
    .addSelect('coalesce(placed.merchant_id, stored.merchant_id)', 'merchant_id')
    .addSelect('placed.id IS NULL AND stored.order_id IS NOT NULL', 'archived')
    .addSelect('reversal.delivered_sealed IS NOT NULL', 'handed_over')
    .addSelect('supplier.code', 'supplier');

async function rowsOf(query: SelectQueryBuilder<SupplierReversal>): Promise<ReversalRow[]> {
  const { entities, raw } = await query.getRawAndEntities<JoinedColumns>();
  return entities.map((reversal, index) => {
    const of = present(raw[index], 'a row has its raw row');
    const { order_number, merchant_id, supplier, archived, handed_over } = of;
    return { ...reversal, order_number, merchant_id, supplier, archived, handed_over };
  });
}
