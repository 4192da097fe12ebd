import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Bull from 'bull';
import express from 'express';
import pg from 'pg';

// The usual way to accept orders: Express and pg, an interactive transaction for each order, then a job for the queue.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const queue = new Bull('naive-orders', process.env.REDIS_URL ?? '');

interface OrderRequest {
  reference_id?: unknown;
  user_id?: unknown;
  items?: { sku: string; quantity: number }[];
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.post('/v1/orders', async (request, response) => {
  const { reference_id: reference, user_id: user, items } = request.body as OrderRequest;
  const [item] = items ?? [];
  if (typeof reference !== 'string' || typeof user !== 'string' || !item || !(item.quantity > 0)) {
    return void response.status(400).json({ message: 'bad request' });
  }
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const placed = await place(client, request.headers['x-api-key'] as string, { reference, user, item });
    await client.query(placed ? 'COMMIT' : 'ROLLBACK');
    if (!placed) return void response.status(409).json({ message: 'refused' });
    await queue.add({ orderId: placed.id }, { attempts: 3, removeOnComplete: true });
    const answer = { order_number: placed.number, reference_id: reference, status: 'pending' };
    response.json({ ...answer, total_amount: `${placed.total}` });
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    response.status(500).json({ message: (error as Error).message });
  } finally {
    client.release();
  }
});

interface Order {
  reference: string;
  user: string;
  item: { sku: string; quantity: number };
}

/** @returns null when the reference was used before or the balance is too low. */
async function place(client: pg.PoolClient, key: string, { reference, user, item }: Order) {
  const one = async <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    (await client.query<Row>({ name, text, values })).rows[0];
  const hash = createHash('sha256').update(key).digest();
  const caller = await one<{ merchant_id: number }>(
    'key',
    'SELECT merchant_id FROM naive.api_keys WHERE key_hash = $1',
    [hash],
  );
  const merchant = caller?.merchant_id;
  const earlier = await one('duplicate', 'SELECT id FROM naive.orders WHERE merchant_id = $1 AND reference_id = $2', [
    merchant,
    reference,
  ]);
  const product = await one<{ price: string }>('product', 'SELECT price FROM naive.products WHERE sku = $1', [
    item.sku,
  ]);
  const total = BigInt(product?.price ?? 0) * BigInt(item.quantity);
  const wallet = await one<{ available: string }>(
    'lock',
    'SELECT available FROM naive.wallets WHERE merchant_id = $1 FOR UPDATE',
    [merchant],
  );
  if (earlier || BigInt(wallet?.available ?? 0) < total) return null;
  await one('charge', 'UPDATE naive.wallets SET available = available - $2, held = held + $2 WHERE merchant_id = $1', [
    merchant,
    total,
  ]);
  const number = `ord_${randomBytes(12).toString('base64url')}`;
  const order = await one<{ id: string }>(
    'order',
    `INSERT INTO naive.orders (order_number, merchant_id, reference_id, user_id, total)
     VALUES ($1, $2, $3, $4, $5) RETURNING id`,
    [number, merchant, reference, user, total],
  );
  await one('item', 'INSERT INTO naive.order_items (order_id, sku, quantity, price) VALUES ($1, $2, $3, $4)', [
    order?.id,
    item.sku,
    item.quantity,
    total,
  ]);
  await one(
    'transaction',
    `INSERT INTO naive.transactions (merchant_id, order_id, kind, amount) VALUES ($1, $2, 'hold', $3)`,
    [merchant, order?.id, total],
  );
  return { id: order?.id, number, total };
}

const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
