import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../database/database.js';
import { LIMITS } from '../stats/database-figures.sql.js';

/** What a wake-up is about: a row for each id that there still is. */
export interface SubjectRow {
  id: number;
  /** How people know it. */
  label: string;
  next_orders: string[];
}

/** As many as a page has room for; the index gives those that are next without looking at the others. */
const NEXT = 10;

/**
 * Suppliers, and the orders with a unit that is next to be sent there or inquired about.
 * $1 their ids.
 */
const FIND_SUPPLIERS: Statement = {
  name: 'board.suppliers',
  text: `
    SELECT s.id, s.code AS label, array(
      SELECT DISTINCT o.order_number FROM (
        SELECT order_id FROM order_units WHERE supplier_id = s.id AND next_action_at IS NOT NULL
        ORDER BY next_action_at LIMIT ${NEXT}) AS next
      JOIN orders o ON o.id = next.order_id) AS next_orders
    FROM suppliers s WHERE s.id = ANY($1::int[])`,
};

/**
 * Webhooks, by their merchants, and the orders whose events are next to be told there. Their URLs are left out: some
 * have secrets in them.
 * $1 their ids.
 */
const FIND_WEBHOOKS: Statement = {
  name: 'board.webhooks',
  text: `
    SELECT w.id, m.name AS label, array(
      SELECT DISTINCT o.order_number FROM (
        SELECT event_id FROM webhook_deliveries WHERE webhook_id = w.id AND due_at IS NOT NULL
        ORDER BY is_retry, due_at LIMIT ${NEXT}) AS next
      JOIN events e ON e.id = next.event_id JOIN orders o ON o.id = e.order_id) AS next_orders
    FROM webhooks w JOIN merchants m ON m.id = w.merchant_id WHERE w.id = ANY($1::int[])`,
};

/** What wake-ups are about. */
@Injectable()
export class QueueBoardRepository {
  constructor(private readonly database: Database) {}

  findSuppliers(ids: number[]): Promise<SubjectRow[]> {
    return this.find(FIND_SUPPLIERS, ids);
  }

  findWebhooks(ids: number[]): Promise<SubjectRow[]> {
    return this.find(FIND_WEBHOOKS, ids);
  }

  private find(statement: Statement, ids: number[]): Promise<SubjectRow[]> {
    return this.database.batch<SubjectRow>([LIMITS, []], [statement, [ids]]);
  }
}
