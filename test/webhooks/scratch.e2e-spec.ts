import { it } from '@jest/globals';
import { TestStack } from '../support/stack.js';
import { CLAIM_DELIVERIES, FIND_OVERDUE, RECORD_ATTEMPTS } from '../../src/webhooks/dispatch.sql.js';
it('explains', async () => {
  const stack = await TestStack.start({}, { worker: false });
  const m = await stack.merchant();
  await stack.sql(`INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint) SELECT $1, 'http://x', ARRAY['order.completed'], 'x', 'x' FROM generate_series(1,50)`, [m.id]);
  await stack.sql(`INSERT INTO events (public_id, merchant_id, kind, body, created_at) SELECT 'evt_'||n, $1, 'webhook.test', '{}', now() FROM generate_series(1,4000) n`, [m.id]);
  await stack.sql(`INSERT INTO webhook_deliveries (webhook_id, event_id, attempt_count, due_at, created_at, updated_at) SELECT w.id, e.id, (e.id % 2), CASE WHEN e.id % 2 = 0 THEN now() ELSE now() + interval '1 day' END, now(), now() FROM webhooks w, events e`);
  await stack.sql('ANALYZE');
  const ids = (await stack.sql<{id:number}>('SELECT id FROM webhooks')).map((r) => r.id);
  for (const [s, values] of [[CLAIM_DELIVERIES, [ids, ids.map(() => 10), 200, 10, 20000]], [FIND_OVERDUE, []],
     [RECORD_ATTEMPTS, [[1,2,3],[1,1,1],[200,200,200],[null,null,null],['','',''],[1,1,1],[null,null,null]]]] as const) {
    const rows = await stack.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${s.text}`, values as never);
    process.stdout.write(`${s.name}\n${rows.map((r) => r['QUERY PLAN']).join('\n')}\n`);
  }
  await stack.close();
});
