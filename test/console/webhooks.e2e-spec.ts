import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Answer, ErrorBody } from '../support/http.js';
import type { TestOperator } from './console-stack.js';
import { startWebhookScene, type WebhookScene } from './webhook-scene.js';

interface List<Item> {
  data: Item[];
  next_cursor: string | null;
}
interface WebhookBody {
  id: number;
  url: string;
  merchant: { id: number };
  last_success_at: string | null;
  failing_since: string | null;
  waiting: number;
  day: { succeeded: number; ended: number };
}
interface DeliveryBody {
  id: number;
  webhook: { id: number };
  order_number: string | null;
  event: string;
  status: string;
  attempt_count: number;
  last_attempt: { response_status: number | null } | null;
  body: { data: { user_id: string } };
  attempts: { number: number; response_status: number; response_body: string | null; is_hidden: boolean }[];
}
interface JobBody {
  id: number;
  kind: string;
  state: string;
  error: string | null;
  result: { replayed: number } | null;
}

let scene: WebhookScene;
let support: TestOperator;
beforeAll(async () => {
  scene = await startWebhookScene();
  support = await scene.console.signedIn('support');
});
afterAll(() => scene.close());

const get = async <Body>(path: string, who = support): Promise<Body> => {
  const { status, body } = await who.browser.get<Body>(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** Waits for the deliveries of an order to the webhooks of other tests, too. */
const allEnded = (): Promise<object[]> =>
  eventually(
    () => scene.console.sql(`SELECT FROM webhook_deliveries WHERE status = 'pending'`),
    ({ length }) => length === 0,
  );

/** The entries of this operator in the audit log since then. */
const logged = (operator: TestOperator, ...actions: string[]) =>
  scene.console.sql<{ action: string; merchant_id: number; detail: object; ip: string }>(
    `SELECT action, merchant_id, detail, ip FROM operator_actions
     WHERE operator_id = $1 AND action = ANY($2) ORDER BY id`,
    [operator.id, actions],
  );

describe('webhooks', () => {
  it('are listed with the state of their deliveries, and never with a secret', async () => {
    const good = await scene.delivered([204], 'succeeded');
    const bad = await scene.delivered([500], 'failed');
    await allEnded();
    const { data } = await get<List<WebhookBody>>(`/api/webhooks?merchant=${scene.merchant.id}`);
    const find = (id: number): WebhookBody | undefined => data.find((each) => each.id === id);
    expect(find(bad.webhook.id)).toMatchObject({
      url: bad.webhook.url,
      merchant: { id: scene.merchant.id },
      last_success_at: null,
      failing_since: bad.delivery.created_at,
      day: { succeeded: 0, ended: 1 },
      waiting: 0,
    });
    expect(find(good.webhook.id)).toMatchObject({ failing_since: null, day: { succeeded: 2, ended: 2 } });
    expect(find(good.webhook.id)?.last_success_at).not.toBeNull();
    const one = await get<object>(`/api/webhooks/${good.webhook.id}`);
    expect(one).toMatchObject({ id: good.webhook.id, max_retries: 0, deleted_at: null });
    expect(JSON.stringify([data, one])).not.toContain(good.webhook.secret);
    expect(Object.keys(one).filter((name) => name.includes('sealed'))).toEqual([]);
    const first = await get<List<WebhookBody>>('/api/webhooks?limit=1');
    expect(first.data.map(({ id }) => id)).toEqual([bad.webhook.id]);
    const second = await get<List<WebhookBody>>(`/api/webhooks?limit=1&cursor=${first.next_cursor}`);
    expect(second.data.map(({ id }) => id)).toEqual([good.webhook.id]);
    await scene.hooks.patch(bad.webhook.id, { status: 'inactive' });
    const inactive = await get<List<WebhookBody>>('/api/webhooks?status=inactive');
    expect(inactive.data.map(({ id }) => id)).toEqual([bad.webhook.id]);
    await scene.hooks.remove(bad.webhook.id);
    expect((await get<List<WebhookBody>>('/api/webhooks?status=inactive')).data).toEqual([]);
    expect(await get<{ deleted_at: string | null }>(`/api/webhooks/${bad.webhook.id}`)).toMatchObject({
      deleted_at: expect.any(String),
    });
  });

  it('that have failed for an hour or more are distinguished from later failures', async () => {
    const { webhook: bad } = await scene.delivered([500], 'failed');
    const { webhook: good } = await scene.delivered([204], 'succeeded');
    await allEnded();
    const found = async (): Promise<WebhookBody[]> =>
      (await get<List<WebhookBody>>('/api/webhooks?status=failing')).data;
    const failing = async (): Promise<number[]> => (await found()).map(({ id }) => id);
    expect(await failing()).toEqual([]);
    await scene.console.sql(
      `UPDATE webhook_deliveries SET created_at = created_at - interval '2 hours' WHERE webhook_id = ANY($1)`,
      [[bad.id, good.id]],
    );
    expect(await failing()).toEqual([bad.id]);
    const { data: all } = await get<List<WebhookBody>>('/api/webhooks');
    expect(await found()).toEqual(all.filter(({ id }) => id === bad.id));
    await scene.hooks.remove(bad.id);
    expect(await failing()).toEqual([]);
  });

  it('that do not exist are 404, and so are their deliveries', async () => {
    for (const path of ['/api/webhooks/999999', '/api/webhooks/x', '/api/webhooks/999999/deliveries'])
      expect((await support.browser.get(path)).status).toBe(404);
    for (const id of ['999999', '0', '99999999999999999999'])
      expect((await support.browser.get(`/api/deliveries/${id}`)).status).toBe(404);
    expect((await support.browser.post('/api/deliveries/999999/retry')).status).toBe(404);
    expect((await support.browser.get('/api/deliveries?cursor=x')).status).toBe(400);
  });
});

describe('deliveries', () => {
  it('are exported as CSV with the current filters, without spreadsheet formulas, and with an entry in the audit log', async () => {
    const { webhook } = await scene.delivered([500], 'failed');
    const { merchant, sku } = scene;
    const request = { reference_id: '=1+1', user_id: 'player-1', items: [{ sku, quantity: 1 }] };
    await merchant.client.post('/v1/orders', request);
    const filter = `webhook=${webhook.id}&status=failed`;
    const { headers, body } = await eventually(
      () => support.browser.get<string>(`/api/deliveries.csv?${filter}`),
      ({ body: text }) => text.trimEnd().split('\n').length === 3,
    );
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, newest] = body.replace('\uFEFF', '').split('\n');
    expect(head).toMatch(/^id,created_at,webhook_id,url,merchant_id,merchant,event_id,event,order_number,/);
    expect(newest).toContain(`,'=1+1,failed,1,500,`);
    const filters = { webhook: String(webhook.id), status: 'failed' };
    // The entry is written after the last line was sent.
    await eventually(
      () => logged(support, 'export.run'),
      (entries) =>
        entries.some(({ detail }) => isDeepStrictEqual(detail, { list: 'deliveries', filter: filters, lines: 2 })),
    );
    const viewer = await scene.console.signedIn('viewer');
    expect((await viewer.browser.get('/api/deliveries.csv')).status).toBe(403);
    expect((await support.browser.get('/api/deliveries.csv?status=lost')).status).toBe(400);
  });

  it('of all webhooks are listed newest first, with any filter, page by page', async () => {
    const { webhook, delivery } = await scene.delivered([500], 'failed');
    await allEnded();
    const ids = async (query: string): Promise<number[]> => {
      const found: number[] = [];
      let cursor: string | null = '';
      do {
        const page: List<DeliveryBody> = await get(`/api/deliveries?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
        found.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return found;
    };
    const rows = await scene.console.sql<{ id: bigint; status: string; kind: string }>(
      'SELECT id, status, kind FROM webhook_deliveries ORDER BY id DESC',
    );
    const expected = (passes: (row: { status: string; kind: string }) => boolean): number[] =>
      rows.filter(passes).map(({ id }) => Number(id));
    expect(await ids('')).toEqual(expected(() => true));
    expect(await ids('status=failed')).toEqual(expected(({ status }) => status === 'failed'));
    expect(await ids('event=order.failed')).toEqual([]);
    expect(await ids(`merchant=${scene.merchant.id}&status=succeeded`)).toEqual(
      expected(({ status }) => status === 'succeeded'),
    );
    expect(await ids(`from=${delivery.created_at}`)).toContain(delivery.id);
    expect(await ids(`from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toEqual([]);
    const own = await get<List<DeliveryBody>>(`/api/webhooks/${webhook.id}/deliveries?status=failed`);
    expect(own.data).toMatchObject([
      {
        id: delivery.id,
        webhook: { id: webhook.id },
        last_attempt: { response_status: 500 },
        attempt_count: 1,
      },
    ]);
  });

  it('show their body and the answer, without players for operators who may not see them', async () => {
    const webhook = await scene.hooks.register(
      scene.endpoints.add((response) => void response.writeHead(500).end('no player-12345 here <img>')),
      { max_retries: 0 },
    );
    const order = await scene.stack.order(scene.merchant, [{ sku: scene.sku }], 'player-12345');
    const { id } = await scene.hooks.newestIs(webhook.id, 'failed');
    const seen = await get<DeliveryBody>(`/api/deliveries/${id}`);
    expect(seen).toMatchObject({
      order_number: order.order_number,
      event: 'order.completed',
      body: { data: { user_id: 'player-12345' } },
      attempts: [{ number: 1, response_status: 500, response_body: 'no player-12345 here <img>' }],
    });
    const viewer = await scene.console.signedIn('viewer');
    const cut = await get<DeliveryBody>(`/api/deliveries/${id}`, viewer);
    expect(cut.body.data.user_id).toBe('…345');
    expect(cut.attempts).toMatchObject([{ response_body: null, is_hidden: true }]);
    expect(JSON.stringify(cut)).not.toContain('player-12345');
  });

  it('show their address without secrets to viewers', async () => {
    const address = scene.endpoints.add((response) => void response.end());
    const webhook = await scene.hooks.register(address);
    const order = await scene.stack.order(scene.merchant, [{ sku: scene.sku }]);
    const { id } = await scene.hooks.newestIs(webhook.id, 'succeeded');
    await scene.console.sql(`UPDATE webhooks SET url = url || '?token=secret-of-an-address' WHERE id = $1`, [
      webhook.id,
    ]);
    const paths = [
      '/api/webhooks',
      `/api/webhooks/${webhook.id}`,
      `/api/webhooks/${webhook.id}/deliveries`,
      '/api/deliveries',
      `/api/deliveries/${id}`,
      `/api/orders/${order.order_number}`,
    ];
    const read = async ({ browser }: TestOperator, path: string): Promise<string> =>
      JSON.stringify((await browser.get<unknown>(path)).body);
    const [viewer, support] = [await scene.console.signedIn('viewer'), await scene.console.signedIn('support')];
    for (const path of paths) {
      expect([path, await read(support, path)]).toEqual([path, expect.stringContaining('secret-of-an-address')]);
      const text = await read(viewer, path);
      expect([path, text.match(/secret-of-an-address/g)]).toEqual([path, null]);
      expect([path, text.includes(new URL(address).host)]).toEqual([path, true]);
    }
    const catalog = await scene.console.signedIn('catalog');
    const csv = await catalog.browser.get<string>(`/api/deliveries.csv?webhook=${webhook.id}`);
    expect([csv.status, csv.body.match(/secret-of-an-address/g)]).toEqual([200, null]);
  });

  it('are attempted again, and test events sent, each with an entry in the audit log', async () => {
    const operator = await scene.console.signedIn('support');
    const { webhook, delivery } = await scene.delivered([500, 204], 'failed');
    const { status } = await operator.browser.post(`/api/deliveries/${delivery.id}/retry`);
    expect(status).toBe(200);
    await scene.hooks.newestIs(webhook.id, 'succeeded');
    const test = await operator.browser.post<DeliveryBody>(`/api/webhooks/${webhook.id}/test`);
    expect([test.status, test.body.event]).toEqual([201, 'webhook.test']);
    await scene.hooks.newest(webhook.id, ({ event, status }) => event === 'webhook.test' && status === 'succeeded');
    expect(await logged(operator, 'webhook.retry', 'webhook.test')).toMatchObject([
      { action: 'webhook.retry', merchant_id: scene.merchant.id, detail: { delivery: delivery.id } },
      { action: 'webhook.test', detail: { webhook: webhook.id, delivery: test.body.id } },
    ]);
    await scene.hooks.patch(webhook.id, { status: 'inactive' });
    const refused = await operator.browser.post<ErrorBody>(`/api/deliveries/${delivery.id}/retry`);
    expect([refused.status, refused.body.message]).toEqual([409, 'The webhook is inactive']);
  });
});

describe('a replay', () => {
  const ended = (id: number): Promise<JobBody> =>
    eventually(
      () => get<JobBody>(`/api/jobs/${id}`),
      ({ state }) => state !== 'running',
    );

  it('is counted first; a job then attempts exactly these deliveries again, with an entry for each batch', async () => {
    const operator = await scene.console.signedIn('support');
    const { webhook } = await scene.delivered([500, 500, 204], 'failed');
    const which = {
      webhook: webhook.id,
      status: 'failed',
      since: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const preview = await operator.browser.post<{ count: number; up_to: number }>(
      '/api/webhooks/replay/preview',
      which,
    );
    expect(preview.body.count).toBe(1);
    // The replay leaves out a delivery that fails later.
    await scene.stack.order(scene.merchant, [{ sku: scene.sku }]);
    await eventually(
      () => scene.hooks.deliveries(webhook.id, '?status=failed'),
      (failed) => failed.length === 2,
    );
    const body = { ...which, up_to: preview.body.up_to, expected_count: preview.body.count };
    const send = (asked: object): Promise<Answer<JobBody>> =>
      operator.browser.send('POST', '/api/webhooks/replay', asked, {
        headers: { 'idempotency-key': 'replay-once' },
      });
    const job = await send(body);
    expect([job.status, job.body.kind]).toEqual([201, 'replay']);
    // The same request again, after another preview; and one with other content.
    expect((await send({ ...body, up_to: body.up_to + 1 })).body.id).toBe(job.body.id);
    expect((await send({ ...body, event: 'order.failed' })).status).toBe(409);
    expect(await ended(job.body.id)).toMatchObject({ state: 'succeeded', result: { replayed: 1 } });
    await eventually(
      () => scene.hooks.deliveries(webhook.id, '?status=succeeded'),
      (succeeded) => succeeded.length === 1,
    );
    expect(await logged(operator, 'webhook.replay')).toMatchObject([
      { merchant_id: scene.merchant.id, detail: { replayed: 1, webhook: webhook.id, status: 'failed' } },
    ]);
  });

  it('is refused if there are more deliveries now than shown', async () => {
    const { webhook } = await scene.delivered([500], 'failed');
    await scene.stack.order(scene.merchant, [{ sku: scene.sku }]);
    await eventually(
      () => scene.hooks.deliveries(webhook.id, '?status=failed'),
      (failed) => failed.length === 2,
    );
    const which = { webhook: webhook.id, status: 'failed', since: new Date(0).toISOString() };
    const { status, body } = await support.browser.post<ErrorBody>('/api/webhooks/replay', {
      ...which,
      up_to: Number.MAX_SAFE_INTEGER,
      expected_count: 1,
    });
    expect([status, body.message]).toEqual([409, '2 deliveries match by now, not 1: look again']);
  });
});
