import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Order } from '../../orders/order.entity.js';
import type { OrderItem } from '../../orders/order-item.entity.js';
import type { OrderUnit } from '../../orders/order-unit.entity.js';
import { SupplierReversal } from '../../orders/supplier-reversal.entity.js';
import { COUNT_UNITS, PAGE_OF_ENDED } from './supplier-report.sql.js';

export interface UnitCounts {
  succeeded: bigint;
  failed: bigint;
  open: bigint;
  /** Attempts that another one followed. */
  given_up: bigint;
  succeeded_amount: Satang;
  /** Where the reading of the units starts: no order since then has a lower id. */
  first_order_id: bigint;
}

/** One attempt of all that there are. */
export type Place = Pick<OrderUnit, 'order_id' | 'item' | 'unit'> & { attempt: number };

/** How it ended: as its unit, or `failed` where another one followed. */
export type EndedAttempt = Place & { state: 'succeeded' | 'failed' } & Pick<
    OrderItem,
    'unit_price' | 'kind'
  > &
  Pick<Order, 'user_id'> & {
    sku: string;
    reference: string;
    supplier_reference: string | null;
    sandbox_piece: number | null;
  };

/** What came of attempts at a supplier, of orders placed since a moment. */
@Injectable()
export class SupplierReportRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async countUnits(tx: Queryable, supplierId: number, since: Date): Promise<UnitCounts> {
    const [counts] = await tx.query<UnitCounts>(withLongTimeout(COUNT_UNITS), [supplierId, since]);
    return present(counts, 'a count has a row');
  }

  /** In the order of orders, units and attempts. @param after the last one of the page before. */
  pageOfEnded(supplierId: number, since: Date, after: Place, limit: number): Promise<EndedAttempt[]> {
    const values = [supplierId, since, after.order_id, after.item, after.unit, after.attempt, limit];
    return this.database.query<EndedAttempt>(withLongTimeout(PAGE_OF_ENDED), values);
  }

  countOpenCases(supplierId: number): Promise<number> {
    return this.dataSource.manager.countBy(SupplierReversal, { supplier_id: supplierId, status: 'open' });
  }
}
