import type { Satang } from '../core/money.js';
import type { Statement } from '../database/database.js';

export interface EarlierOrder {
  merchant_id: number;
  reference_id: string;
  content_hash: Buffer;
}

/**
 * Asked under the wallets' locks, so no order of these merchants can appear behind its back. The references are asked
 * for as a range and in order, which only their unique index can give: by equality alone, a plan made while the table
 * was empty might look through all orders of a merchant by another one.
 */
export const FIND_EARLIER: Statement = {
  name: 'placement.find_earlier',
  text: `SELECT o.merchant_id, o.reference_id, o.content_hash
         FROM unnest($1::int[], $2::text[]) AS asked(merchant_id, reference_id)
         CROSS JOIN LATERAL (
           SELECT merchant_id, reference_id, content_hash FROM orders
           WHERE merchant_id = asked.merchant_id AND reference_id BETWEEN asked.reference_id AND asked.reference_id
           ORDER BY reference_id LIMIT 1) o`,
};

export interface Offer {
  merchant_id: number;
  sku: string;
  /** Null when there is no such product, or it is not sold at present. */
  supplier_id: number | null;
  supplier_sku: string;
  list_price: Satang;
  unit_price: Satang;
  requires_server: boolean;
  requires_character: boolean;
  max_quantity: number;
  /** The time of the batch: the same on every row. */
  now: Date;
}

/** Prices come from the tables in the order's own transaction: a changed price is never charged late. */
export const FIND_OFFERS: Statement = {
  name: 'placement.find_offers',
  text: `SELECT asked.merchant_id, asked.sku, p.supplier_id, p.supplier_sku, p.price AS list_price,
                least(p.price, coalesce(own.price, p.price)) AS unit_price,
                p.requires_server, p.requires_character, p.max_quantity,
                date_trunc('milliseconds', statement_timestamp()) AS now
         FROM unnest($1::int[], $2::text[]) AS asked(merchant_id, sku)
         LEFT JOIN products p ON p.sku = asked.sku AND p.active
         LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = asked.merchant_id`,
};

/**
 * Everything that makes the orders of a batch: orders, items, units, the movements of money and the wallets' balances.
 * $1–$12 orders (with the available balance after each), $13–$20 items, $21–$22 wallets with what is taken, $23 now.
 * Rows are numbered in arrival order, so that a statement's balances follow each other.
 */
export const INSERT_ORDERS: Statement = {
  name: 'placement.insert_orders',
  text: `
    WITH asked AS (
      SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[],
                           $8::bigint[], $9::bigint[], $10::smallint[], $11::text[], $12::bigint[])
      WITH ORDINALITY AS asked(merchant_id, order_number, reference_id, content_hash, user_id, server_id, character_id,
                               subtotal, total, item_count, request_id, available_after, arrival)),
    placed AS (
      INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, server_id, character_id,
                          subtotal_amount, discount_amount, total_amount, open_items, request_id,
                          created_at, updated_at)
      SELECT merchant_id, order_number, reference_id, content_hash, user_id, server_id, character_id,
             subtotal, subtotal - total, total, item_count, request_id, $23::timestamptz, $23::timestamptz
      FROM asked ORDER BY arrival
      RETURNING id, order_number),
    placed_items AS (
      INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
      SELECT placed.id, line.position, line.sku, line.quantity, line.list_price, line.unit_price, line.supplier_id,
             line.supplier_sku
      FROM unnest($13::text[], $14::smallint[], $15::text[], $16::smallint[], $17::bigint[], $18::bigint[],
                  $19::int[], $20::text[])
           AS line(order_number, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
      JOIN placed USING (order_number)
      RETURNING order_id, position, quantity, supplier_id),
    placed_units AS (
      INSERT INTO order_units (order_id, item, unit, supplier_id, next_action_at, updated_at)
      SELECT order_id, position, unit, supplier_id, $23::timestamptz, $23::timestamptz
      FROM placed_items CROSS JOIN LATERAL generate_series(1, quantity) AS unit),
    moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id,
                             created_at)
      SELECT merchant_id, 'order_hold', 'available', 'held', total, available_after, placed.id, $23::timestamptz
      FROM asked JOIN placed USING (order_number) WHERE total > 0 ORDER BY arrival)
    UPDATE wallets SET available = available - taken.amount, held = held + taken.amount, updated_at = $23::timestamptz
    FROM unnest($21::int[], $22::bigint[]) AS taken(merchant_id, amount)
    WHERE wallets.merchant_id = taken.merchant_id`,
};
