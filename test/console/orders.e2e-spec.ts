import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface Listed {
  order_number: string;
  user_id: string;
  reference_id: string;
  status: string;
  created_at: string;
  merchant: { id: number; name: string };
}
interface Page {
  data: Listed[];
  next_cursor: string | null;
}
interface Entry {
  kind: string;
  text: string;
  unit?: string;
  amount?: string;
  outcome?: string;
}

const NOTHING = { data: [], next_cursor: null };

let scene: Scene;
let support: TestOperator;
let viewer: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  [support, viewer] = [await scene.console.signedIn('support'), await scene.console.signedIn('viewer')];
});
afterAll(() => scene.close());

const list = async (query = '', who = support): Promise<Page> => {
  const { status, body } = await who.browser.get<Page & ErrorBody>(`/api/orders?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const numbers = async (query = '', who = support): Promise<string[]> =>
  (await list(query, who)).data.map(({ order_number }) => order_number);

describe('the list of orders', () => {
  it('has all orders in pages, newest first, with every filter', async () => {
    const { stack } = scene;
    const merchant = await stack.merchant('10000.00');
    const sku = await stack.product('10.00');
    const placed: string[] = [];
    for (let count = 0; count < 5; count++)
      placed.unshift((await stack.order(merchant, [{ sku }], 'player-987654')).order_number);
    const ways = [`merchant=${merchant.id}`, `sku=${sku}`, `sku=${sku}&supplier=fake`, `q=player-987654`];
    ways.push(`merchant=${merchant.id}&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z`);
    for (const way of ways) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list(`${way}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ order_number }) => order_number));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect([way, seen]).toEqual([way, placed]);
    }
    expect((await numbers('limit=5')).slice(0, 5)).toEqual(placed);
    expect((await numbers('supplier=fake&limit=3')).slice(0, 3)).toEqual(placed.slice(0, 3));
  });

  it('finds the orders of a period, also if thousands of others are older or newer', async () => {
    const { stack, merchant, sku } = scene;
    await stack.fill(`
      INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
        discount_amount, total_amount, open_items, created_at, updated_at)
      OVERRIDING SYSTEM VALUE
      SELECT ${merchant.id}, 'old_' || n, 'old-' || n, '', 'old', 'completed', 0, 0, 0, 0,
             now() - n * interval '1 hour', now()
      FROM generate_series(3000, 1, -1) n`);
    const { order_number: latest } = await stack.order(merchant, [{ sku }]);
    const [row] = await stack.sql<{ at: Date }>(`SELECT created_at AS at FROM orders WHERE order_number = 'old_1000'`);
    const at = row?.at.getTime() ?? 0;
    const between = (from: number, to: number): string =>
      `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    expect(await numbers(between(at - 1, at + 1))).toEqual(['old_1000']);
    expect(await numbers(between(at - 1, at + 3_600_001))).toEqual(['old_999', 'old_1000']);
    expect(await numbers(between(at + 1, at + 2))).toEqual([]);
    expect(await numbers(between(0, 1))).toEqual([]);
    expect(await numbers(`from=2100-01-01T00:00:00Z`)).toEqual([]);
    expect(await numbers(`from=${new Date(Date.now() - 600_000).toISOString()}`)).toContain(latest);
  });

  it('finds rare orders among many thousands at once, or page by page', async () => {
    const { stack } = scene;
    const [few, some, many] = [await stack.merchant(), await stack.merchant(), await stack.merchant()];
    const [rare, common] = [await stack.product('1.00'), await stack.product('1.00')];
    const placed = [
      { of: few.id, sku: common, count: 1 },
      { of: some.id, sku: common, count: 1 },
      { of: some.id, sku: rare, count: 1_100 },
      { of: many.id, sku: common, count: 10_100 },
    ];
    for (const { of, sku, count } of placed)
      await stack.fill(
        `WITH placed AS (
           INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
             discount_amount, total_amount, open_items, created_at, updated_at)
           SELECT $1, 'of_' || $1::int || $2::text || n, $2::text || n, '', 'many', 'completed', 1, 0, 1, 0, now(), now()
           FROM generate_series(1, $3::int) n RETURNING id)
         INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
           status, completed_quantity)
         SELECT id, 1, $2, 1, 1, 1, (SELECT id FROM suppliers WHERE code = 'fake'), 'x', 'completed', 1 FROM placed`,
        [of, sku, count],
      );
    const numberOf = (merchant: number): string => `of_${merchant}${common}1`;
    // The shorter of the two indexes is read to its end.
    const first = await list(`sku=${common}&merchant=${few.id}`);
    expect([first.data.map(({ order_number }) => order_number), first.next_cursor]).toEqual([[numberOf(few.id)], null]);
    // Both indexes are long, and the one order is the last of each.
    const query = `sku=${common}&merchant=${some.id}`;
    const [page, seen] = [await list(query), [] as string[]];
    expect([page.data, page.next_cursor]).toEqual([[], expect.any(String)]);
    for (let cursor = page.next_cursor; cursor !== null;) {
      const { data, next_cursor } = await list(`${query}&cursor=${cursor}`);
      seen.push(...data.map(({ order_number }) => order_number));
      cursor = next_cursor;
    }
    expect(seen).toEqual([numberOf(some.id)]);
    const { body } = await support.browser.get<string>(`/api/orders.csv?${query}`);
    expect(body.trimEnd().split('\n')).toEqual([expect.any(String), expect.stringContaining(numberOf(some.id))]);
    // No completed order has a failure code.
    expect(await list(`status=completed&failure=OUT_OF_STOCK&merchant=${many.id}`)).toEqual(NOTHING);
  });

  it('finds failed orders by status and by code, and open ones', async () => {
    const { stack, merchant, sku } = scene;
    stack.supplier.script('loser', ({ reference }) => ({
      status: 200,
      body: { reference, status: 'failed', failure_code: 'INVALID_PLAYER' },
    }));
    stack.supplier.script('waiter', () => 'hang');
    const failed = await stack.order(merchant, [{ sku }], 'loser');
    const open = await stack.order(merchant, [{ sku }], 'waiter');
    await stack.orderWith(merchant, failed.reference_id, 'failed');
    await stack.orderWith(merchant, open.reference_id, 'processing');
    expect(await numbers('status=failed')).toEqual([failed.order_number]);
    expect(await numbers('failure=INVALID_PLAYER')).toEqual([failed.order_number]);
    expect(await numbers(`failure=INVALID_PLAYER&merchant=${merchant.id}`)).toEqual([failed.order_number]);
    expect(await numbers('failure=OUT_OF_STOCK')).toEqual([]);
    expect(await numbers('status=processing')).toContain(open.order_number);
  });

  it('refuses invalid parameters', async () => {
    const ask = async (query: string): Promise<number> => (await support.browser.get(`/api/orders?${query}`)).status;
    for (const wrong of ['status=new', 'merchant=x', 'limit=101', 'cursor=abc', 'colour=red', 'from=yesterday'])
      expect([wrong, await ask(wrong)]).toEqual([wrong, 400]);
    expect(await ask('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).toBe(400);
    expect((await support.browser.get('/api/orders?supplier=nobody')).body).toEqual(NOTHING);
    expect((await support.browser.get('/api/review?supplier=nobody')).body).toEqual(NOTHING);
  });
});

describe('players', () => {
  it('are cut to their last three characters everywhere, without the permission to read them', async () => {
    const { stack, merchant, sku } = scene;
    const player = unique('player-secret');
    const { order_number } = await stack.order(merchant, [{ sku }], player);
    const seen = async (who: TestOperator): Promise<string[]> => {
      const listed = (await list(`merchant=${merchant.id}&limit=1`, who)).data[0]?.user_id ?? '';
      const { body } = await who.browser.get<Listed>(`/api/orders/${order_number}`);
      return [listed, body.user_id];
    };
    expect(await seen(support)).toEqual([player, player]);
    const cut = `…${player.slice(-3)}`;
    expect(await seen(viewer)).toEqual([cut, cut]);
    expect(await numbers(`q=${player}`)).toEqual([order_number]);
    expect(await numbers(`q=${player}`, viewer)).toEqual([]);
  });
});

describe('the page of an order', () => {
  it('shows the whole history with its money', async () => {
    const { stack, merchant, sku } = scene;
    stack.supplier.script('half', ({ reference }) =>
      reference.endsWith('.1')
        ? { status: 200, body: { reference, status: 'succeeded', supplier_reference: `S-${reference}` } }
        : { status: 200, body: { reference, status: 'failed', failure_code: 'OUT_OF_STOCK' } },
    );
    const order = await stack.order(merchant, [{ sku, quantity: 2 }], 'half');
    await stack.orderWith(merchant, order.reference_id, 'failed', 'completed');
    const path = `/api/orders/${order.order_number}`;
    await support.browser.post(`${path}/notes`, { text: 'The buyer wrote.\nTicket 4711' });
    const { body } = await support.browser.get<{
      timeline: Entry[];
      money: {
        held: string;
        spent: string;
        returned: string;
        entries: { kind: string; available_after: string }[];
      };
      units: { unit: string; state: string; can_resolve: boolean; attempts: { cost: null }[] }[];
    }>(path);
    expect(body.money).toMatchObject({ held: '0.00', spent: '35.00', returned: '35.00' });
    expect(body.money.entries.map(({ kind }) => kind)).toEqual(['order_hold', 'order_spend', 'order_refund']);
    expect(body.units).toMatchObject([
      { unit: '1.1', state: 'succeeded', can_resolve: false },
      { unit: '1.2', state: 'failed', can_resolve: false },
    ]);
    const kinds = body.timeline.map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(['order.created', 'money.held']);
    expect(kinds.filter((kind) => kind === 'supplier.send')).toHaveLength(2);
    expect(kinds.slice(-5)).toEqual([
      'money.spent',
      'money.returned',
      'order.failed',
      'event.order.failed',
      'order.note',
    ]);
    expect(body.timeline).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'money.returned', amount: '35.00', text: '35.00 THB are returned' }),
        expect.objectContaining({ kind: 'supplier.send', unit: '1.2', outcome: 'failed' }),
        expect.objectContaining({
          kind: 'order.note',
          operator: support.email,
          detail: 'The buyer wrote.\nTicket 4711',
        }),
      ]),
    );
    const asViewer = await viewer.browser.get<typeof body>(path);
    expect(asViewer.body.money.entries[0]?.available_after).toBeNull();
  });

  it('is 404 for an unknown order', async () => {
    for (const number of ['ord_0000000000000000', '%00', '..%2f', 'x'.repeat(300)])
      expect([number, (await support.browser.get(`/api/orders/${number}`)).status]).toEqual([number, 404]);
  });

  it('accepts notes of 1 to 2,000 characters', async () => {
    const { stack, merchant, sku } = scene;
    const { order_number } = await stack.order(merchant, [{ sku }]);
    const note = async (text: unknown): Promise<number> =>
      (await support.browser.post(`/api/orders/${order_number}/notes`, { text })).status;
    for (const wrong of ['', '  ', 'x'.repeat(2_001), 'a\u0000b', 7]) expect(await note(wrong)).toBe(400);
    expect(await note('😀'.repeat(2_000))).toBe(201);
  });
});

describe('the search', () => {
  it('names the kind of each hit', async () => {
    const { stack, merchant, sku } = scene;
    const user = unique('searched');
    let isSold = false;
    stack.supplier.script(user, ({ reference }) => ({
      status: 200,
      body: { reference, status: isSold ? 'succeeded' : 'processing', supplier_reference: `S-${reference}` },
    }));
    const order = await stack.order(merchant, [{ sku }], user);
    const found = async (q: string): Promise<unknown> =>
      (await support.browser.get(`/api/search?q=${encodeURIComponent(q)}`)).body;
    const { order_number } = order;
    const as = (found_as: string): unknown =>
      expect.objectContaining({ orders: [expect.objectContaining({ order_number, found_as })] });
    expect(await found(order_number)).toEqual(as('number'));
    expect(await found(`${order_number}.1.1`)).toEqual(as('number'));
    expect(await found(order.reference_id)).toEqual(as('reference'));
    expect(await found(order.reference_id)).toMatchObject({
      orders: [{ user_id: user, items: [{ sku, quantity: 1 }], created_at: order.created_at }],
    });
    expect(await found(String(order.user_id))).toEqual(as('player'));
    await eventually(
      () => found(`S-${order_number}.1.1`),
      (answer) => JSON.stringify(answer).includes(order_number),
    );
    expect(await found(`S-${order_number}.1.1`)).toEqual(as('supplier_reference'));
    await merchant.client.post('/v1/merchant-webhooks', { url: 'http://127.0.0.1:9/nobody-listens' });
    isSold = true;
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const [event] = await stack.sql<{ public_id: string }>(
      `SELECT e.public_id FROM events e JOIN orders o ON o.id = e.order_id WHERE o.order_number = $1`,
      [order_number],
    );
    expect(await found(event?.public_id ?? '')).toEqual(as('event'));
    const [delivery] = await stack.sql<{ id: bigint }>(
      `SELECT d.id FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE e.public_id = $1`,
      [event?.public_id],
    );
    const byDelivery = await support.browser.get<{ orders: object[] }>(`/api/search?q=${delivery?.id}`);
    expect(byDelivery.body.orders).toContainEqual(expect.objectContaining({ order_number, found_as: 'delivery' }));
    // A filter does not take a number for the id of a delivery, because it does not name the kind of its hits.
    expect(await numbers(`q=${delivery?.id}`)).toEqual([]);
    expect(await found(sku)).toMatchObject({ orders: [], products: [{ sku }] });
    const { body } = await support.browser.get<{ merchants: { id: number }[] }>(`/api/search?q=${merchant.id}`);
    expect(body.merchants[0]?.id).toBe(merchant.id);
  });
});

describe('the CSV', () => {
  it('has every order of the filter, without spreadsheet formulas, and an entry in the audit log', async () => {
    const { stack, sku } = scene;
    const merchant = await stack.merchant('10000.00');
    for (const user of ['=1+1', '@cmd', 'plain, "quoted"', '<img onerror=x>'])
      await stack.order(merchant, [{ sku }], user);
    const { status, body, headers } = await support.browser.get<string>(`/api/orders.csv?merchant=${merchant.id}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const lines = body.trimEnd().split('\n');
    expect(lines[0]).toContain('order_number,merchant_id,merchant,reference_id,user_id');
    expect(lines).toHaveLength(5);
    expect(body).toContain(`,'=1+1,`);
    expect(body).toContain(`,'@cmd,`);
    expect(body).toContain(`,"plain, ""quoted""",`);
    // The entry is written after the last line was sent.
    const [entry] = await eventually(
      () =>
        scene.console.sql<{ detail: object }>(
          `SELECT detail FROM operator_actions WHERE action = 'export.run' AND detail->'filter'->>'merchant' = $1`,
          [String(merchant.id)],
        ),
      ({ length }) => length === 1,
    );
    expect(entry?.detail).toEqual({ list: 'orders', filter: { merchant: String(merchant.id) }, lines: 4 });
  });
});
