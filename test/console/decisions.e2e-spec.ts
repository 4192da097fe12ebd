import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { Statement } from '../../src/database/database.js';
import { closeWithBalancedBooks } from '../support/books.js';
import type { ErrorBody } from '../support/http.js';
import { eventually } from '../support/eventually.js';
import { neverSeen, refused } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { sellsCodes } from '../deliveries/handed-over.js';
import { PASSWORD, type Browser, type TestOperator } from './console-stack.js';
import { inDoubt as anOrderInDoubt, startScene, triedAgain, type Scene } from './scene.js';

interface UnitBody {
  unit: string;
  attempts: { number: number }[];
  state: string;
  can_resolve: boolean;
}
interface DetailBody {
  status: string;
  units: UnitBody[];
  timeline: { kind: string; operator?: string }[];
}
interface ReviewBody {
  data: {
    order_number: string;
    unit: string;
    state: string;
    claim: { by: string; is_mine: boolean } | null;
  }[];
  next_cursor: string | null;
}

let scene: Scene;
let support: TestOperator;
beforeAll(async () => {
  scene = await startScene({ SUPPLIER_QUIET_PERIOD_MS: '600000' });
  support = await scene.console.signedIn('support');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const inDoubt = (quantity = 1, price = '35.00'): Promise<OrderBody> =>
  anOrderInDoubt(scene, support, { quantity, price });

const resolve = (
  browser: Browser,
  { order_number }: OrderBody,
  unit: string,
  verdict: object,
): Promise<{ status: number; body: DetailBody & ErrorBody }> =>
  browser.post(`/api/orders/${order_number}/units/${unit}/resolution`, { reason: 'asked them', ...verdict });

const actionsOf = (order: OrderBody): Promise<{ action: string; operator: string; source: string }[]> =>
  scene.console.sql(
    `SELECT a.action, a.operator, a.source FROM operator_actions a JOIN orders o ON o.id = a.order_id
     WHERE o.order_number = $1 ORDER BY a.id`,
    [order.order_number],
  );

describe('a resolution', () => {
  it('settles a unit and moves its money once, even if several operators send it', async () => {
    const { stack, merchant } = scene;
    const order = await inDoubt();
    const before = await stack.wallet(merchant);
    const other = await scene.console.signedIn('support');
    const answers = await Promise.all(
      [support, support, other, other].map(({ browser }) =>
        resolve(browser, order, '1.1', { succeeded: false, failure_code: 'OUT_OF_STOCK' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort((one, two) => one - two)).toEqual([200, 409, 409, 409]);
    const after = await stack.wallet(merchant);
    expect(Number(after.available) - Number(before.available)).toBe(35);
    const actions = await actionsOf(order);
    expect(actions).toHaveLength(1);
    expect(actions[0]).toMatchObject({ action: 'order.resolve', source: 'console' });
  });

  it('needs these statements only', async () => {
    const statements = async (): Promise<string> => {
      const order = await inDoubt();
      // A session that was last used half a minute ago would be written, too.
      await scene.console.sql('UPDATE operator_sessions SET seen_at = now() WHERE operator_id = $1', [support.id]);
      const query = jest.spyOn(pg.Client.prototype as { query: (statement: string | Statement) => unknown }, 'query');
      const { status } = await resolve(support.browser, order, '1.1', { succeeded: true });
      const names = query.mock.calls.map(([given]) => (typeof given === 'string' ? given : given.name));
      // Workers of this process have connections of their own.
      const { contexts } = query.mock;
      const ofConsole = new Set(
        contexts.filter((_, n) => /^(operator_sessions|settlement|support)\./.test(names[n] ?? '')),
      );
      query.mockRestore();
      expect(status).toBe(200);
      return names.filter((_, n) => ofConsole.has(contexts[n])).join('\n');
    };
    const needed = [
      'operator_sessions.find',
      'support.find_unit',
      'BEGIN',
      'transaction.limit_lock_wait',
      'settlement.lock_orders',
      'settlement.settle_units',
      'audit_log.record',
      'settlement.count_units',
      'orders.list_items_of',
      'wallets.lock_many',
      'settlement.update_orders',
      'settlement.move_money',
      'events.record',
      'COMMIT',
      'support.find_whole_order',
    ].join('\n');
    // Repeated if a worker settled a unit or the console wrote stats meanwhile, or the console was busy at first.
    await eventually(statements, (found) => found === needed);
  });

  it('answers with the order afterwards', async () => {
    const order = await inDoubt(2);
    const first = await resolve(support.browser, order, '1.1', {
      succeeded: true,
      supplier_reference: 'X-1',
    });
    expect(first.body).toMatchObject({
      status: 'processing',
      units: [{ state: 'succeeded' }, { state: 'unknown' }],
    });
    const last = await resolve(support.browser, order, '1.2', { succeeded: true });
    expect(last.body.status).toBe('completed');
    expect(last.body.timeline.filter(({ kind }) => kind === 'order.resolve')).toEqual([
      expect.objectContaining({ operator: support.email }),
      expect.objectContaining({ operator: support.email }),
    ]);
  });

  it('refuses contradictory decisions, and unknown units', async () => {
    const order = await inDoubt();
    const tries: [string, object, number][] = [
      ['1.1', { succeeded: true, failure_code: 'OUT_OF_STOCK' }, 400],
      ['1.1', { succeeded: false }, 400],
      ['1.1', { succeeded: false, failure_code: 'PARTIALLY_COMPLETED' }, 400],
      ['1.1', { succeeded: false, failure_code: 'OUT_OF_STOCK', supplier_reference: 'x' }, 400],
      ['1.1', { succeeded: 'yes' }, 400],
      ['1.1', { succeeded: true, reason: '' }, 400],
      ['2.1', { succeeded: true }, 404],
      ['x', { succeeded: true }, 404],
    ];
    for (const [unit, verdict, status] of tries)
      expect([verdict, (await resolve(support.browser, order, unit, verdict)).status]).toEqual([verdict, status]);
    expect(await actionsOf(order)).toEqual([]);
    await resolve(support.browser, order, '1.1', { succeeded: true });
  });

  it('applies only to the shown attempt: it is refused after a later attempt began', async () => {
    const order = await inDoubt();
    const look = async (): Promise<number | undefined> =>
      (await support.browser.get<DetailBody>(`/api/orders/${order.order_number}`)).body.units[0]?.attempts.at(-1)
        ?.number;
    const attempt = await look();
    await triedAgain(scene, order, 'fake');
    const verdict = { succeeded: false, failure_code: 'OUT_OF_STOCK' };
    const refused = await resolve(support.browser, order, '1.1', { ...verdict, attempt });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'unit 1.1 has a newer attempt than the one you saw: look at it again',
    ]);
    expect(await actionsOf(order)).toEqual([]);
    const looked = await resolve(support.browser, order, '1.1', { ...verdict, attempt: await look() });
    expect([looked.status, looked.body.message]).toEqual([200, undefined]);
  });

  it('of a unit that costs much must be confirmed again', async () => {
    const order = await inDoubt(1, '1500.00');
    const verdict = { succeeded: true };
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [support.id],
    );
    const refused = await resolve(support.browser, order, '1.1', verdict);
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    await support.browser.post('/api/session/confirm', { password: PASSWORD });
    expect((await resolve(support.browser, order, '1.1', verdict)).status).toBe(200);
  });
});

describe('a cancellation', () => {
  it('fails the units that were not bought, and gives a reason for each other unit', async () => {
    const { stack, merchant } = scene;
    await stack.stopWorkers();
    const sku = await stack.product('10.00');
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await scene.console.sql(
      `UPDATE order_units SET state = 'sending' WHERE unit = 2 AND order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    const path = `/api/orders/${order.order_number}/cancellation`;
    const { status, body } = await support.browser.post<object>(path, { reason: 'the buyer went away' });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        cancelled: ['1.1', '1.3'],
        left: [{ unit: '1.2', state: 'sending', why: 'a call to its supplier is in flight' }],
      }),
    ]);
    expect((await support.browser.post(path, { reason: 'again' })).status).toBe(409);
    expect((await support.browser.post(path, {})).status).toBe(400);
    expect((await actionsOf(order)).map(({ action }) => action)).toEqual(['order.cancel']);
    await scene.console.sql(
      `UPDATE order_units SET state = 'queued' WHERE unit = 2 AND order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    expect((await support.browser.post(path, { reason: 'the rest', unit: '1.2' })).status).toBe(200);
    await stack.startWorker();
  });

  it('fails only the units that the operator saw', async () => {
    const { stack, merchant } = scene;
    await stack.stopWorkers();
    const order = await stack.order(merchant, [{ sku: await stack.product('10.00'), quantity: 3 }]);
    const path = `/api/orders/${order.order_number}/cancellation`;
    const cancel = (units: unknown) => support.browser.post<object>(path, { reason: 'the buyer went away', units });
    const refused: [unknown, number][] = [
      [[], 400],
      ['1.1', 400],
      [[1.1], 400],
      [Array.from({ length: 5_001 }, () => '1.1'), 400],
      [['1.1', 'x'], 404],
      [['1.1', '1.4'], 404],
    ];
    for (const [units, status] of refused) expect([units, (await cancel(units)).status]).toEqual([units, status]);
    const { status, body } = await cancel(['1.1', '1.3', '1.1']);
    expect([status, body]).toMatchObject([
      200,
      {
        cancelled: ['1.1', '1.3'],
        left: [],
        order: { units: [{ state: 'failed' }, { state: 'queued' }, { state: 'failed' }] },
      },
    ]);
    expect((await cancel(['1.2'])).status).toBe(200);
    await stack.startWorker();
  });
});

describe('a query to the supplier', () => {
  it('shows the current result, and changes only the audit log', async () => {
    const query = async () => {
      const order = await inDoubt();
      scene.stack.supplier.script(String(order.user_id), ({ reference }) => ({
        status: 200,
        body: { reference, status: 'succeeded', supplier_reference: 'S-9' },
      }));
      const path = `/api/orders/${order.order_number}/units/1.1/inquire`;
      return { order, path, ...(await support.browser.post<object>(path)) };
    };
    // After a 503, the browser's own repetition comes too soon.
    const { order, path, status, body } = await eventually(query, (each) => each.status !== 429);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        supplier: 'fake',
        reference: `${order.order_number}.1.1`,
        outcome: 'succeeded',
        failure_code: null,
      }),
    ]);
    expect(await actionsOf(order)).toEqual([{ action: 'order.inquire', operator: support.email, source: 'console' }]);
    // No operator may query the supplier again at once, which is ten seconds. A slow machine needs more of them here.
    await scene.console.sql(`UPDATE suppliers SET inquiry_asked_until = inquiry_asked_until + interval '1 hour'`);
    expect((await support.browser.post(path)).status).toBe(429);
    const { browser: other } = await scene.console.signedIn('admin');
    expect((await other.post(path)).status).toBe(429);
    await resolve(support.browser, order, '1.1', { succeeded: true });
  });
});

describe('a query to a supplier that refused the purchase', () => {
  it('names the reason', async () => {
    const { stack } = scene;
    await stack.addSupplier('second', stack.supplier.url);
    const order = await anOrderInDoubt(scene, support, { supplier: 'second' });
    stack.supplier.script(String(order.user_id), ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const { body } = await support.browser.post(`/api/orders/${order.order_number}/units/1.1/inquire`);
    expect(body).toMatchObject({ supplier: 'second', outcome: 'failed', failure_code: 'OUT_OF_STOCK' });
    await stack.orderWith(scene.merchant, order.reference_id, 'failed');
  });
});

describe('a query to a supplier that was set to another account', () => {
  it('does not take the other account’s "never seen" for a result', async () => {
    const { stack } = scene;
    await stack.addSupplier('moved', stack.supplier.url);
    const order = await anOrderInDoubt(scene, support, { supplier: 'moved' });
    const path = `/api/orders/${order.order_number}/units/1.1/inquire`;
    const user = String(order.user_id);
    await scene.console.sql(`UPDATE suppliers SET account = 'another' WHERE code = 'moved'`);
    stack.supplier.script(user, () => neverSeen);
    const { body } = await support.browser.post(path);
    expect(body).toMatchObject({
      outcome: 'unknown',
      failure_code: null,
      detail: expect.stringContaining('sent to the supplier’s earlier address or account') as unknown,
    });
    await resolve(support.browser, order, '1.1', { succeeded: true });
  });
});

describe('the review queue', () => {
  it('has units in review before units in doubt, in pages, with the operators who claimed them', async () => {
    const orders = [await inDoubt(2), await inDoubt(), await inDoubt()];
    const last = orders[2];
    await scene.console.sql(
      `UPDATE order_units SET state = 'review', next_action_at = NULL
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [last?.order_number],
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await support.browser.get<ReviewBody>(`/api/review?supplier=fake&limit=2${query}`);
      seen.push(...body.data.map(({ order_number, unit }) => `${order_number} ${unit}`));
      cursor = body.next_cursor;
    } while (cursor !== null);
    const [first, second] = orders;
    expect(seen).toEqual([
      `${last?.order_number} 1.1`,
      `${first?.order_number} 1.1`,
      `${first?.order_number} 1.2`,
      `${second?.order_number} 1.1`,
    ]);
    const inReview = await support.browser.get<ReviewBody>('/api/review?state=review');
    expect(inReview.body.data.map(({ order_number }) => order_number)).toEqual([last?.order_number]);
    await checkClaims(last);
    for (const [order, unit] of [
      [first, '1.1'],
      [first, '1.2'],
      [second, '1.1'],
      [last, '1.1'],
    ] as const)
      if (order) await resolve(support.browser, order, unit, { succeeded: true });
  });

  it('has no unit of the sandbox', async () => {
    const { stack } = scene;
    const tried = await stack.order(await stack.sandboxMerchant(), [{ sku: scene.sku }], 'sim-lost');
    const stateOf = async (): Promise<string | undefined> => {
      const { body } = await support.browser.get<DetailBody>(`/api/orders/${tried.order_number}`);
      return body.units[0]?.state;
    };
    await eventually(stateOf, (state) => state === 'unknown');
    const { body } = await support.browser.get<ReviewBody>('/api/review');
    expect(body.data.map(({ order_number }) => order_number)).not.toContain(tried.order_number);
  });

  async function checkClaims(order: OrderBody | undefined): Promise<void> {
    const other = await scene.console.signedIn('finance');
    const path = `/api/review/${order?.order_number}/1.1/claim`;
    expect((await support.browser.send('PUT', path)).status).toBe(200);
    expect((await support.browser.send('PUT', path)).status).toBe(200);
    expect((await other.browser.send('PUT', path)).status).toBe(409);
    const { body } = await other.browser.get<ReviewBody>('/api/review?state=review');
    expect(body.data[0]?.claim).toMatchObject({ by: support.email.split('@')[0], is_mine: false });
    // Releasing another operator's claim has no effect.
    await other.browser.send('DELETE', path);
    expect((await other.browser.send('PUT', path)).status).toBe(409);
    await support.browser.send('DELETE', path);
    expect((await other.browser.send('PUT', path)).status).toBe(200);
    await scene.console.sql(`UPDATE review_claims SET claimed_until = now()`);
    expect((await support.browser.send('PUT', path)).status).toBe(200);
    // One entry for each request that changed something.
    const claims = (await actionsOf(order as OrderBody)).map(({ action, operator }) => [action, operator]);
    expect(claims).toEqual([
      ['review.claim', support.email],
      ['review.claim', support.email],
      ['review.release', support.email],
      ['review.claim', other.email],
      ['review.claim', support.email],
    ]);
  }
});

describe('the code of a unit', () => {
  it('is shown one at a time, with a reason and the permission, and an entry in the audit log', async () => {
    const { stack, merchant, console } = scene;
    const player = unique('buyer');
    const codeOf = sellsCodes(stack, player);
    const card = await stack.product('35.00', { kind: 'code' });
    const order = await stack.order(merchant, [{ sku: card, quantity: 2 }], player);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const reveal = (unit: string, body: object = { reason: 'lost it' }, { browser } = support) =>
      browser.post<{ pieces: object[] } & ErrorBody>(`/api/orders/${order.order_number}/units/${unit}/code`, body);
    const { status, body, headers } = await reveal('1.2');
    const code = codeOf(`${order.order_number}.1.2`);
    expect([status, body, headers.get('cache-control')]).toEqual([
      200,
      { unit: '1.2', pieces: [{ code, serial: 'SER-1', expires_on: '2027-12-31' }] },
      'no-store',
    ]);
    const logged = await console.sql<{ operator: string; detail: object }>(
      `SELECT operator, detail FROM operator_actions WHERE action = 'code.reveal'`,
    );
    expect(logged).toEqual([{ operator: support.email, detail: { unit: '1.2', reason: 'lost it' } }]);
    expect((await reveal('1.3')).status).toBe(404);
    expect((await reveal('1.1', {})).status).toBe(400);
    expect((await reveal('1.1', undefined, await console.signedIn('finance'))).status).toBe(403);
    await console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [support.id],
    );
    const late = await reveal('1.1');
    expect([late.status, late.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    const { body: shown } = await support.browser.get(`/api/orders/${order.order_number}`);
    expect(JSON.stringify(shown)).not.toContain('CODE-');
  });
});
