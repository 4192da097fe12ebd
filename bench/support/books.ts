import type pg from 'pg';
import { fillWithOrders } from './filling.js';
import type { Wallet } from './wallets.js';

/**
 * Adds orders as `addOrders` makes them, and funds the wallets so that the books balance.
 * @param open the number of orders in this month of Asia/Bangkok; the others go back from its beginning.
 */
export async function fillBooks(
  database: pg.Pool,
  wallets: Wallet[],
  { count, open }: { count: number; open: number },
): Promise<void> {
  const inBangkok = new Date(Date.now() + 7 * 3_600_000);
  const monthMs = Date.UTC(inBangkok.getUTCFullYear(), inBangkok.getUTCMonth()) - 7 * 3_600_000;
  const ago = `${Math.round((Date.now() - monthMs) / 1000) + (count - open) * 5} seconds`;
  await fillWithOrders(database, wallets, 0, count, ago);
  const client = await database.connect();
  await client.query(`SET session_replication_role = 'replica'`);
  // Wallets were funded before anything was ordered.
  await client.query(
    `UPDATE transfers SET created_at = now() - $1::interval - interval '1 minute' WHERE kind = 'credit'`,
    [ago],
  );
  await client.query(
    `UPDATE wallets w SET available = (
       SELECT available_after FROM transfers t WHERE t.merchant_id = w.merchant_id ORDER BY id DESC LIMIT 1)`,
  );
  await client.query('RESET session_replication_role');
  client.release();
}
