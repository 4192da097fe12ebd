import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import * as sql from './unit-deliveries.sql.js';

export type { DeliveredRow } from './unit-deliveries.sql.js';

export type KeptRow = Parameters<typeof sql.KEEP_DELIVERIES.with>[0]['deliveries'][number];

interface Unit {
  orderId: bigint;
  item: number;
  unit: number;
}

/** What suppliers handed over for units. */
@Injectable()
export class UnitDeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Keeps what was handed over for units that are settled. @param deliveries the first of a unit counts. */
  keep(tx: Transaction, deliveries: KeptRow[]): void {
    if (deliveries.length > 0) tx.write(...sql.KEEP_DELIVERIES.with({ deliveries }));
  }

  /** Gives a unit what was handed over for a case, where the operator settled it with the purchase of that case. */
  handOverOfCase(tx: Transaction, { orderId: order_id, item, unit }: Unit): void {
    tx.write(...sql.HAND_OVER_OF_CASE.with({ order_id, item, unit }));
  }

  /** In the order of items and units. */
  listDelivered(orderId: bigint): Promise<sql.DeliveredRow[]> {
    return this.database.query<sql.DeliveredRow>(...sql.FIND_DELIVERED.with({ orderId }));
  }

  /** Of an archived order, in the same order. */
  listKept(orderId: bigint): Promise<sql.DeliveredRow[]> {
    return this.database.query<sql.DeliveredRow>(...sql.FIND_KEPT.with({ orderId }));
  }
}
