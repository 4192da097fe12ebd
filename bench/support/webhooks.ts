import type pg from 'pg';
import type { BenchStack } from './stack.js';

/** Registers a webhook as a merchant does. @returns its id. */
export async function registerWebhook(
  { apiUrl }: BenchStack,
  key: string,
  url: string,
  settings: { max_retries?: number; retry_delay?: number } = {},
): Promise<number> {
  const response = await fetch(`${apiUrl}/v1/merchant-webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url, ...settings }),
  });
  if (!response.ok) throw new Error(`no webhook: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

/**
 * Inserts test events at once, each with a due delivery to the merchant's webhooks in rotation. There is no wake-up: the worker's
 * sweeper finds them.
 */
export async function addDeliveries(
  database: pg.Pool,
  merchantId: number,
  webhookIds: number[],
  count: number,
  body: string,
): Promise<void> {
  await database.query(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT 'evt_' || gen_random_uuid(), $1, 'webhook.test', $2, now() FROM generate_series(1, $3::int) RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
     SELECT ($4::int[])[1 + id % cardinality($4::int[])], id, 'webhook.test', now(), now(), now() FROM made`,
    [merchantId, body, count, webhookIds],
  );
}
