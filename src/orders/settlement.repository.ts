import { Injectable } from '@nestjs/common';
import type { Queryable, Transaction } from '../database/database.js';
import { outcomeDetail } from '../suppliers/supplier-outcome.js';
import type { ItemRow } from './order.rows.js';
import { FIND_ITEMS_OF } from './orders.sql.js';
import * as sql from './settlement.sql.js';
import type { SupplierCall } from './supplier-calls.js';

/** What settling does to orders, items, units and money. */
@Injectable()
export class SettlementRepository {
  /** In the order of ids. */
  lockOrders(tx: Transaction, ids: bigint[]): Promise<sql.LockedOrder[]> {
    return tx.query<sql.LockedOrder>(sql.LOCK_ORDERS, [[...new Set(ids)]]);
  }

  /** Those that no other transaction has locked. */
  lockFreeOrders(tx: Transaction, ids: bigint[]): Promise<sql.LockedOrder[]> {
    return tx.query<sql.LockedOrder>(sql.LOCK_FREE_ORDERS, [[...new Set(ids)]]);
  }

  /** @returns those that this settled. */
  settleUnits(tx: Transaction, units: sql.SettledRow[]): Promise<sql.SettledUnit[]> {
    return tx.query<sql.SettledUnit>(...sql.SETTLE_UNITS.with({ units }));
  }

  /** Opens a reversal for each answer that contradicts a settled unit. @returns how each unit stands. */
  judgeUnsettled(tx: Queryable, answers: sql.AnswerRow[]): Promise<sql.UnsettledUnit[]> {
    const rows = answers.map((answer) => ({ is_news: true, delivered_sealed: null, ...answer }));
    return tx.query<sql.UnsettledUnit>(...sql.JUDGE_UNSETTLED.with({ answers: rows }));
  }

  /** Adds settled units to their items. */
  countUnits(tx: Transaction, units: sql.CountRow[]): Promise<Pick<ItemRow, 'order_id' | 'status'>[]> {
    return tx.query<Pick<ItemRow, 'order_id' | 'status'>>(...sql.COUNT_UNITS.with({ units }));
  }

  itemsOf(tx: Queryable, orderIds: bigint[]): Promise<ItemRow[]> {
    return tx.query<ItemRow>(FIND_ITEMS_OF, [orderIds]);
  }

  /** Marks orders as started of which a unit was claimed. */
  startOrders(tx: Transaction, ids: bigint[]): void {
    if (ids.length > 0) tx.write(sql.START_ORDERS, [ids]);
  }

  updateOrders(tx: Transaction, orders: sql.OrderChange[], now: Date): void {
    tx.write(...sql.UPDATE_ORDERS.with({ orders, now }));
  }

  moveMoney(tx: Transaction, movements: sql.MovementRow[], wallets: sql.WalletChange[]): void {
    tx.write(...sql.MOVE_MONEY.with({ movements, wallets }));
  }

  recordCalls(tx: Transaction, calls: SupplierCall[]): void {
    if (calls.length === 0) return;
    const rows = calls.map(({ unit: { order_id, item, unit, attempt }, kind, outcome, durationMs, process }) => ({
      order_id,
      item,
      unit,
      attempt,
      kind,
      outcome: outcome.kind,
      detail: outcomeDetail(outcome),
      duration_ms: Math.round(durationMs),
      process,
    }));
    tx.write(...sql.RECORD_CALLS.with({ calls: rows }));
  }
}
