import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { Order } from '../orders/order.entity.js';
import type { SupplierCall } from '../orders/supplier-call.entity.js';
import { attemptOfCall } from './order-history.sql.js';

/** How many of the latest calls of all suppliers are searched. */
export const SEARCHED_CALLS = 10_000;
const MAX = 50;

/** Outcomes that decide nothing about a unit. `processing` is not among them, because the supplier has accepted the unit. */
export const UNDECIDED_OUTCOMES = ['unknown', 'not_accepted', 'never_seen'] as const;

export type UndecidedCall = Pick<
  SupplierCall,
  'id' | 'ended_at' | 'kind' | 'outcome' | 'detail' | 'duration_ms' | 'process' | 'item' | 'unit'
> &
  Pick<Order, 'order_number'>;

/**
 * Searches only the latest calls of all suppliers, because `supplier_calls` has indexes by id and by unit only. An index by
 * supplier would slow down every order.
 */
export const LIST_UNDECIDED = statement(
  'undecided_calls.list',
  { supplierId: 'int', outcomes: 'text[]', among: 'int', limit: 'int' },
  ({ supplierId, outcomes, among, limit }) => `
    SELECT c.id, c.ended_at, c.kind, c.outcome, c.detail, c.duration_ms, c.process, o.order_number, c.item, c.unit
    FROM (SELECT * FROM supplier_calls ORDER BY id DESC LIMIT ${among}) c
    CROSS JOIN LATERAL (${attemptOfCall('c')}) made
    JOIN orders o ON o.id = c.order_id
    WHERE c.outcome = ANY (${outcomes}) AND made.supplier_id = ${supplierId}
    ORDER BY c.id DESC LIMIT ${limit}`,
);

/** Calls to suppliers that decided nothing about their unit. */
@Injectable()
export class UndecidedCallsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the supplier's undecided calls among the latest 10,000 calls of all suppliers, newest first, at most 50. */
  latest(supplierId: number): Promise<UndecidedCall[]> {
    const which = { supplierId, outcomes: [...UNDECIDED_OUTCOMES], among: SEARCHED_CALLS, limit: MAX };
    return this.database.query<UndecidedCall>(...LIST_UNDECIDED.with(which));
  }
}
