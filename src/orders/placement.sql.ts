import { rowsOf, statement } from '../database/parameters.js';
import type { Order } from './order.entity.js';

export type EarlierOrder = Pick<Order, 'merchant_id' | 'reference_id' | 'content_hash'>;

/**
 * Asked under the wallets' locks, so no order of these merchants can appear behind its back. The references are asked
 * for as a range and in order, which only their unique index can give: by equality alone, a plan made while the table
 * was empty might look through all orders of a merchant by another one. Archived orders keep their references beside.
 */
export const FIND_EARLIER = statement(
  'placement.find_earlier',
  { asked: rowsOf({ merchant_id: 'int', reference_id: 'text' }) },
  ({ asked }) => `
    SELECT o.merchant_id, o.reference_id, o.content_hash
    FROM ${asked.as('asked')}
    CROSS JOIN LATERAL (
      (SELECT merchant_id, reference_id, content_hash FROM orders
       WHERE merchant_id = asked.merchant_id AND reference_id BETWEEN asked.reference_id AND asked.reference_id
       ORDER BY reference_id LIMIT 1)
      UNION ALL
      (SELECT merchant_id, reference_id, content_hash FROM order_references
       WHERE merchant_id = asked.merchant_id AND reference_id BETWEEN asked.reference_id AND asked.reference_id
       ORDER BY reference_id LIMIT 1)
      LIMIT 1) o`,
);

/**
 * Everything that makes the orders of a batch: orders, items, units, the movements of money and the wallets' balances.
 * Rows are numbered in arrival order, so that a statement's balances follow each other.
 */
export const INSERT_ORDERS = statement(
  'placement.insert_orders',
  {
    orders: rowsOf({
      merchant_id: 'int',
      sandbox: 'boolean',
      order_number: 'text',
      reference_id: 'text',
      content_hash: 'bytea',
      user_id: 'text',
      server_id: 'text?',
      character_id: 'text?',
      metadata: 'text?',
      end_user_ip: 'text?',
      subtotal: 'bigint',
      total: 'bigint',
      item_count: 'smallint',
      request_id: 'text',
      available_after: 'bigint',
    }),
    items: rowsOf({
      order_number: 'text',
      position: 'smallint',
      sku: 'text',
      quantity: 'smallint',
      list_price: 'bigint',
      unit_price: 'bigint',
      supplier_id: 'int',
      supplier_sku: 'text',
      player_template: 'text?',
      expected_cost_micros: 'bigint?',
      max_cost_micros: 'bigint?',
      cost_currency: 'text?',
      baht_per_unit: 'text?',
      passed_over: 'text?',
      kind: 'text',
    }),
    taken: rowsOf({ merchant_id: 'int', amount: 'bigint' }),
    now: 'timestamptz',
  },
  ({ orders, items, taken, now }) => `
    WITH asked AS (
      SELECT * FROM ${orders.numbered('asked', 'arrival')}),
    placed AS (
      INSERT INTO orders (merchant_id, sandbox, order_number, reference_id, content_hash, user_id, server_id, character_id,
                          metadata, end_user_ip, subtotal_amount, discount_amount, total_amount, open_items, request_id,
                          created_at, updated_at)
      SELECT merchant_id, sandbox, order_number, reference_id, content_hash, user_id, server_id, character_id,
             metadata::json, end_user_ip, subtotal, subtotal - total, total, item_count, request_id, ${now}, ${now}
      FROM asked ORDER BY arrival
      RETURNING id, order_number),
    placed_items AS (
      INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                               player_template, expected_cost_micros, max_cost_micros, cost_currency, baht_per_unit,
                               passed_over, kind)
      SELECT placed.id, line.position, line.sku, line.quantity, line.list_price, line.unit_price, line.supplier_id,
             line.supplier_sku, line.player_template, line.expected_cost_micros, line.max_cost_micros,
             line.cost_currency, line.baht_per_unit::numeric, line.passed_over::jsonb, line.kind
      FROM ${items.as('line')}
      JOIN placed USING (order_number)
      RETURNING order_id, position, quantity, supplier_id),
    placed_units AS (
      INSERT INTO order_units (order_id, item, unit, supplier_id, next_action_at, updated_at)
      SELECT order_id, position, unit, supplier_id, ${now}, ${now}
      FROM placed_items CROSS JOIN LATERAL generate_series(1, quantity) AS unit),
    moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id,
                             created_at)
      SELECT merchant_id, 'order_hold', 'available', 'held', total, available_after, placed.id, ${now}
      FROM asked JOIN placed USING (order_number) WHERE total > 0 ORDER BY arrival)
    UPDATE wallets SET available = available - taken.amount, held = held + taken.amount, updated_at = ${now}
    FROM ${taken.as('taken')}
    WHERE wallets.merchant_id = taken.merchant_id`,
);
