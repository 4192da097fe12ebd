import type pg from 'pg';
import { SKU } from './catalog.js';
import type { Wallet } from './wallets.js';

/** Has the length of a worker's name in a container. */
const PROCESS = 'worker@0123456789ab:1-0a1b';

/** The deliveries of {@link addOrders} belong to an inactive webhook, which gets none of the measured orders. */
export async function addInactiveWebhooks(database: pg.Pool, wallets: Wallet[]): Promise<void> {
  await database.query(
    `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint, status)
     SELECT id, 'https://shop.example/webhooks', '{order.completed}'::text[], '\\x00'::bytea, 'whsec_ab...', 'inactive'
     FROM unnest($1::int[]) AS id`,
    [wallets.map((wallet) => wallet.merchantId)],
  );
}

const SECONDS_BETWEEN = 5;

/**
 * An id that begins with its time, as the service's own do, and sorts before all of them: both grow their index at one end. Its
 * hexadecimal digits, which last until 2106, are quick to make in PostgreSQL.
 */
const keyOf = (seed: string, length: number, at = 'at'): string =>
  `'0' || to_hex((extract(epoch FROM ${at}) / 4096)::int) || substr(md5(${seed}), 1, ${length - 6})`;

/** The size of a batch, which bounds the memory of a statement. */
const STEP = 250_000;

interface Filling {
  /** So many of the newest orders have events and deliveries; all by default. */
  logged?: number;
  /** Called with the number of orders so far. */
  onStep?: (filled: number) => void;
}

/** Runs {@link addOrders} until there are `to` orders. @param from the number that is there. */
export async function fillWithOrders(
  database: pg.Pool,
  wallets: Wallet[],
  from: number,
  to: number,
  begunAgo?: string,
  { logged = to, onStep = () => undefined }: Filling = {},
): Promise<void> {
  for (let filled = from; filled < to; filled += STEP) {
    const count = Math.min(STEP, to - filled);
    await addOrders(database, wallets, filled, count, begunAgo, to - logged);
    onStep(filled + count);
  }
}

/** For {@link fillWithOrders}: the age of the first of `orders` orders, so that none is in the future. */
export const begunBefore = (orders: number): string =>
  `${Math.max(365, Math.ceil((orders * SECONDS_BETWEEN) / 86_400) + 1)} days`;

/**
 * Adds completed and delivered orders as the service leaves them, of 100,000 players, spread over the merchants, one
 * every five seconds from a year ago. The merchants must come from one call of `createWallets`, with {@link addInactiveWebhooks}.
 * The balances in the transfers are consistent if there are no other orders. Wallets are not changed.
 * @param from the number of the first order, if others were added before.
 * @param begunAgo the age of the very first order.
 * @param loggedFrom orders before this one have no events and deliveries.
 */
export async function addOrders(
  database: pg.Pool,
  wallets: Wallet[],
  from: number,
  count: number,
  begunAgo = '1 year',
  loggedFrom = 0,
): Promise<void> {
  const client = await database.connect();
  // Without triggers: their checks would take most of the time, and the rows are consistent.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `WITH n AS (SELECT n, now() - $5::interval + n * interval '${SECONDS_BETWEEN} seconds' AS at FROM generate_series($1::int, $2::int) n),
       placed AS (
         INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                             discount_amount, total_amount, open_items, request_id, created_at, updated_at)
         SELECT $3 + n % $4, 'ord_' || ${keyOf('n::text', 16)}, 'filled-' || n, sha256(n::text::bytea), 'player-' || n % 100000,
                'completed', 3500, 0, 3500, 0, 'req_' || substr(md5('r' || n), 1, 20), at, at FROM n
         RETURNING id, merchant_id, order_number, reference_id, created_at),
       items AS (
         INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                                  status, completed_quantity)
         SELECT id, 1, '${SKU}', 1, 3500, 3500, 1, '${SKU}', 'completed', 1 FROM placed),
       units AS (
         INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, attempt, state, next_action, claim, sends,
                                  first_sent_at, last_sent_at, supplier_reference, updated_at)
         SELECT id, 1, 1, 1, merchant_id, 1, 'succeeded', 'inquire', 1, 1, created_at, created_at, 'S' || id, created_at FROM placed),
       attempts AS (
         INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, supplier_reference, created_at)
         SELECT id, 1, 1, 1, 1, '${SKU}', order_number || '-1-1', 'S' || id, created_at FROM placed),
       calls AS (
         INSERT INTO supplier_calls (order_id, item, unit, kind, outcome, process, duration_ms, ended_at)
         SELECT id, 1, 1, 'send', 'succeeded', '${PROCESS}', 10, created_at FROM placed),
       money AS (
         INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, created_at)
         SELECT merchant_id, kind, debit, credit, 3500, 10000000000 - 3500 * (substr(reference_id, 8)::bigint / $4 + 1), id, created_at
         FROM placed, (VALUES ('order_hold', 'available', 'held'), ('order_spend', 'held', 'spent')) m(kind, debit, credit)
         ORDER BY id, kind),
       told AS (
         INSERT INTO events (public_id, merchant_id, kind, order_id, reference_id, body, created_at)
         SELECT 'evt_' || ${keyOf("'e' || id", 22, 'created_at')}, merchant_id, 'order.completed', id, reference_id,
                repeat('x', 700), created_at FROM placed
         WHERE substr(reference_id, 8)::bigint >= $6::bigint RETURNING id, merchant_id, created_at),
       delivered AS (
         INSERT INTO webhook_deliveries (webhook_id, event_id, kind, status, attempt_count, attempt_ended_at, claimed_by,
                                         created_at, updated_at)
         SELECT webhooks.id, told.id, 'order.completed', 'succeeded', 1, told.created_at, '${PROCESS}', told.created_at, told.created_at
         FROM told JOIN webhooks USING (merchant_id) RETURNING id, created_at)
     INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, response_body)
     SELECT id, 1, created_at, 10, 204, '' FROM delivered`,
    [from, from + count - 1, wallets[0]?.merchantId, wallets.length, begunAgo, loggedFrom],
  );
  await client.query(`RESET session_replication_role`);
  client.release();
}

/**
 * Changes some orders of {@link addOrders} into those that an operator looks for: one in 40 failed, and the newest 300 in progress
 * and in doubt, some of them in review. Money and events are not changed, so these orders cannot be settled.
 * @param decidable one of so many orders in progress waits for a decision; 0 for none.
 */
export async function addTroubles(database: pg.Pool, decidable = 6): Promise<void> {
  const client = await database.connect();
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(`UPDATE orders SET status = 'failed', failure_code = 'OUT_OF_STOCK' WHERE id % 40 = 0`);
  await client.query(
    `UPDATE order_items SET status = 'failed', failure_code = 'OUT_OF_STOCK', completed_quantity = 0, failed_quantity = 1 WHERE order_id % 40 = 0`,
  );
  await client.query(`UPDATE order_units SET state = 'failed', failure_code = 'OUT_OF_STOCK' WHERE order_id % 40 = 0`);
  await client.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE id % 200 = 0`);
  const isReview = decidable > 0 ? `order_id % ${decidable} = 0` : 'false';
  await client.query(
    `WITH newest AS (SELECT id FROM orders WHERE id % 40 <> 0 ORDER BY id DESC LIMIT 300),
       open AS (UPDATE orders SET status = 'processing', open_items = 1 WHERE id IN (SELECT id FROM newest) RETURNING id),
       items AS (UPDATE order_items SET status = 'processing', completed_quantity = 0 WHERE order_id IN (SELECT id FROM newest))
     UPDATE order_units SET state = CASE WHEN ${isReview} THEN 'review' ELSE 'unknown' END, unknown_since = last_sent_at,
                            next_action_at = CASE WHEN ${isReview} THEN NULL::timestamptz ELSE now() + interval '1 day' END
     WHERE order_id IN (SELECT id FROM newest)`,
  );
  await client.query(`RESET session_replication_role`);
  client.release();
}
