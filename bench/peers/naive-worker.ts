import { createHmac, randomBytes } from 'node:crypto';
import Bull, { type Job } from 'bull';
import pg from 'pg';

// The usual way to fulfil orders and deliver webhooks: a job for each order, a transaction for each step, a job for each webhook.

const { DATABASE_URL, REDIS_URL = '', SUPPLIER_URL = '', RECEIVER_URL = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });
const orders = new Bull<{ orderId: string }>('naive-orders', REDIS_URL);
const webhooks = new Bull<{ deliveryId: string }>('naive-webhooks', REDIS_URL);

interface Order {
  id: string;
  order_number: string;
  merchant_id: number;
  reference_id: string;
  user_id: string;
  total: string;
}

async function inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

void orders.process(64, async ({ data }: Job<{ orderId: string }>) => {
  const order = await inTransaction(async (client) => {
    const { rows } = await client.query<Order>({
      name: 'take',
      text: `UPDATE naive.orders SET status = 'processing', updated_at = now() WHERE id = $1 RETURNING *`,
      values: [data.orderId],
    });
    return rows[0];
  });
  if (!order) return;
  const response = await fetch(`${SUPPLIER_URL}/v1/top-ups`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reference: `${order.order_number}.1.1`, user_id: order.user_id, sku: 'BENCH-1' }),
  });
  const { status } = (await response.json()) as { status: string };
  const deliveryId = await settle(order, status === 'succeeded' ? 'completed' : 'failed');
  await webhooks.add({ deliveryId }, { attempts: 4, removeOnComplete: true });
});

function settle(order: Order, status: string): Promise<string> {
  return inTransaction(async (client) => {
    const { id, merchant_id: merchant, total } = order;
    const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });
    await run('lock', 'SELECT 1 FROM naive.wallets WHERE merchant_id = $1 FOR UPDATE', [merchant]);
    await run('end', 'UPDATE naive.orders SET status = $2, updated_at = now() WHERE id = $1', [id, status]);
    await run('end item', 'UPDATE naive.order_items SET status = $2 WHERE order_id = $1', [id, status]);
    await run('release', 'UPDATE naive.wallets SET held = held - $2 WHERE merchant_id = $1', [merchant, total]);
    await run(
      'spend',
      `INSERT INTO naive.transactions (merchant_id, order_id, kind, amount) VALUES ($1, $2, 'spend', $3)`,
      [merchant, id, total],
    );
    const body = JSON.stringify({
      id: `evt_${randomBytes(12).toString('hex')}`,
      event: `order.${status}`,
      timestamp: Math.floor(Date.now() / 1000),
      data: { order_number: order.order_number, reference_id: order.reference_id, status },
    });
    const { rows } = await client.query<{ id: string }>({
      name: 'deliver',
      text: 'INSERT INTO naive.deliveries (order_id, body) VALUES ($1, $2) RETURNING id',
      values: [id, body],
    });
    return rows[0]?.id ?? '';
  });
}

void webhooks.process(64, async ({ data }: Job<{ deliveryId: string }>) => {
  const { rows } = await pool.query<{ body: string; reference_id: string }>({
    name: 'delivery',
    text: `SELECT d.body, o.reference_id FROM naive.deliveries d JOIN naive.orders o ON o.id = d.order_id WHERE d.id = $1`,
    values: [data.deliveryId],
  });
  const [delivery] = rows;
  if (!delivery) return;
  const response = await fetch(`${RECEIVER_URL}/ok`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': delivery.reference_id,
      'webhook-signature': createHmac('sha256', 'secret').update(delivery.body).digest('base64'),
    },
    body: delivery.body,
  });
  await response.arrayBuffer();
  await pool.query({
    name: 'delivered',
    text: `UPDATE naive.deliveries SET status = 'succeeded', updated_at = now() WHERE id = $1`,
    values: [data.deliveryId],
  });
});

process.send?.({ port: 0 });
process.on('disconnect', () => process.exit(0));
