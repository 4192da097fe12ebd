import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../database/database.js';
import { nextUnitsAt } from '../../orders/waiting-units.sql.js';
import { LIMITS } from '../stats/database-stats.repository.js';

/** The supplier or webhook that a wake-up names. Ids that no longer exist have no row. */
export interface SubjectRow {
  id: number;
  /** A supplier's code, or the name of a webhook's merchant. */
  label: string;
  next_orders: string[];
}

/** How many units or deliveries are read for each supplier or webhook. The page has room for their orders. */
const NEXT = 10;

/**
 * Finds suppliers, and the orders whose units are due next there. $1: ids of suppliers.
 */
const LIST_SUPPLIERS: Statement = {
  name: 'board.suppliers',
  text: `
    SELECT s.id, s.code AS label, array(
      SELECT DISTINCT o.order_number FROM (${nextUnitsAt('s.id', NEXT)}) AS next
      JOIN orders o ON o.id = next.order_id) AS next_orders
    FROM suppliers s WHERE s.id = ANY($1::int[])`,
};

/**
 * Finds webhooks with their merchants, and the orders whose deliveries are due next. URLs are left out, because they may hold
 * secrets. $1: ids of webhooks.
 */
const LIST_WEBHOOKS: Statement = {
  name: 'board.webhooks',
  text: `
    SELECT w.id, m.name AS label, array(
      SELECT DISTINCT o.order_number FROM (
        SELECT event_id FROM webhook_deliveries WHERE webhook_id = w.id AND due_at IS NOT NULL
        ORDER BY is_retry, due_at LIMIT ${NEXT}) AS next
      JOIN events e ON e.id = next.event_id JOIN orders o ON o.id = e.order_id) AS next_orders
    FROM webhooks w JOIN merchants m ON m.id = w.merchant_id WHERE w.id = ANY($1::int[])`,
};

/** Finds the suppliers and webhooks that wake-ups name. */
@Injectable()
export class QueueBoardRepository {
  constructor(private readonly database: Database) {}

  listSuppliers(ids: number[]): Promise<SubjectRow[]> {
    return this.list(LIST_SUPPLIERS, ids);
  }

  listWebhooks(ids: number[]): Promise<SubjectRow[]> {
    return this.list(LIST_WEBHOOKS, ids);
  }

  private list(statement: Statement, ids: number[]): Promise<SubjectRow[]> {
    return this.database.batch<SubjectRow>([LIMITS, []], [statement, [ids]]);
  }
}
