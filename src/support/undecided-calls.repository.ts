import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Order } from '../orders/order.entity.js';
import type { SupplierCall } from '../orders/supplier-call.entity.js';
import { FIND_UNDECIDED } from './undecided-calls.sql.js';

/** Among so many of the latest calls, of all suppliers. */
export const AMONG_CALLS = 10_000;
const MAX = 50;

/** After them nobody knows more of a unit than before. What is being processed was at least accepted. */
export const UNDECIDED_OUTCOMES = ['unknown', 'not_accepted', 'never_seen'] as const;

export type UndecidedCall = Pick<
  SupplierCall,
  'id' | 'ended_at' | 'kind' | 'outcome' | 'detail' | 'duration_ms' | 'process' | 'item' | 'unit'
> &
  Pick<Order, 'order_number'>;

/** Calls to suppliers that decided nothing about their unit. */
@Injectable()
export class UndecidedCallsRepository {
  constructor(private readonly database: Database) {}

  /** The latest of a supplier, at most 50. */
  latest(supplierId: number): Promise<UndecidedCall[]> {
    const which = { supplierId, outcomes: [...UNDECIDED_OUTCOMES], among: AMONG_CALLS, limit: MAX };
    return this.database.query<UndecidedCall>(...FIND_UNDECIDED.with(which));
  }
}
