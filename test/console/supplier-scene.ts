import type { TestOperator } from './console-stack.js';
import type { Scene } from './scene.js';

/**
 * A supplier whose catalogue was read twice. The tables are written directly, without a call. ML-86 and ML-172 were in both
 * readings, ML-257 is new, and PUBG-60 is gone.
 */
export async function addCatalogued({ console }: Scene, admin: TestOperator, code = 'digi'): Promise<void> {
  const { status, body } = await admin.browser.send('PUT', `/api/suppliers/${code}`, {
    adapter: 'digiflazz',
    base_url: 'http://127.0.0.1:9/v1',
    timeout_ms: 5_000,
    low_balance: '500000',
    credentials: { username: 'shop', key: 'dev-4711' },
    options: { testing: 'true' },
    expected_updated_at: null,
  });
  if (status !== 200) throw new Error(`the supplier was not added: ${JSON.stringify(body)}`);
  await console.sql(
    `WITH reading AS (
       UPDATE suppliers SET catalogue_read_at = now() - interval '5 minutes' WHERE code = $1
       RETURNING id, catalogue_read_at AS latest, catalogue_read_at - interval '1 day' AS first)
     INSERT INTO supplier_products
       (supplier_id, sku, name, group_name, cost_micros, cost_currency, sellable, cost_at, first_seen_at, last_seen_at,
        gone_at)
     SELECT r.id, p.sku, p.name, p.game, p.cost::bigint * 1000000, 'IDR', p.sellable,
            CASE WHEN p.state = 'gone' THEN r.first ELSE r.latest END,
            CASE WHEN p.state = 'new' THEN r.latest ELSE r.first END,
            CASE WHEN p.state = 'gone' THEN r.first ELSE r.latest END,
            CASE WHEN p.state = 'gone' THEN r.latest END
     FROM reading r CROSS JOIN (VALUES
       ('ML-86', '86 Diamonds', 'Mobile Legends', 20000, true, ''),
       ('ML-172', '172 Diamonds', 'Mobile Legends', 39500, false, ''),
       ('ML-257', '257 Diamonds', 'Mobile Legends', 58900, true, 'new'),
       ('PUBG-60', '60 UC', 'PUBG Mobile', 13900, false, 'gone')
     ) AS p (sku, name, game, cost, sellable, state)`,
    [code],
  );
}
