import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { MOMENT } from '../support/expectations.js';
import { besideChange } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

interface Unit {
  unit: string;
  reference: string;
  state: string;
  supplier_reference: string | null;
  failure_code: string | null;
  attempts: number;
  attempts_detail: object[];
}

type OrderFile = OrderBody & {
  merchant_id: number;
  units: Unit[];
  timeline: { at: string; event: string; unit?: string; detail?: string; process?: string }[];
};

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant();
  sku = await stack.product('35.00');
});

afterAll(() => stack.close());

/** Places an order, and leaves its units in a state that only an operator can end, or in that of a first call. */
async function orderWithUnitsIn(state: string, quantity = 2): Promise<OrderBody> {
  const order = await stack.order(merchant, [{ sku, quantity }]);
  await stack.sql(
    `WITH started AS (UPDATE orders SET status = 'processing' WHERE order_number = $1 RETURNING id)
     UPDATE order_units SET state = $2, sends = 1, next_action = 'inquire',
            unknown_since = CASE WHEN $2 IN ('unknown', 'review') THEN now() END,
            next_action_at = CASE $2 WHEN 'review' THEN NULL ELSE now() + interval '1 hour' END
     WHERE order_id IN (SELECT id FROM started)`,
    [order.order_number, state],
  );
  return order;
}

const resolve = ({ order_number }: OrderBody, unit: string, ...options: string[]): string[] => [
  'order',
  'resolve',
  order_number,
  '--unit',
  unit,
  '--reason',
  'asked the supplier',
  ...options,
];

describe('topup order show', () => {
  it('shows the order as its merchant sees it, with its units and its history', async () => {
    const order = await stack.order(merchant, [{ sku, quantity: 2 }, { sku }]);
    const file = await commandLine.json<OrderFile>('order', 'show', order.order_number);
    const { merchant_id, units, timeline, ...asMerchant } = file;
    expect(asMerchant).toEqual(order);
    expect(merchant_id).toBe(merchant.id);
    const queued = {
      state: 'queued',
      supplier: 'fake',
      supplier_reference: null,
      failure_code: null,
      attempts: 0,
      attempts_detail: [],
    };
    expect(units).toEqual(
      ['1.1', '1.2', '2.1'].map((unit) => ({ unit, reference: `${order.order_number}.${unit}`, ...queued })),
    );
    expect(timeline).toEqual([{ at: order.created_at, event: 'order.created' }]);
    expect(await commandLine.json('order', 'show', order.reference_id)).toEqual(file);
  });

  it('requires the merchant if several merchants use the reference', async () => {
    const other = await stack.merchant();
    const body = { reference_id: unique('same'), user_id: 'player-1', items: [{ sku }] };
    const orders = await Promise.all(
      [merchant, other].map(async ({ client }) => (await client.post<OrderBody>('/v1/orders', body)).body),
    );
    const message = await commandLine.refused('order', 'show', body.reference_id);
    expect(message).toMatch(/several merchants have an order with the reference .+: add --merchant, or give a number/);
    expect(message).toContain(`\n  ${orders[0]?.order_number} of merchant ${merchant.id}\n`);
    expect(message).toContain(`\n  ${orders[1]?.order_number} of merchant ${other.id}\n`);
    const mine = await commandLine.json<OrderFile>('order', 'show', body.reference_id, '--merchant', String(other.id));
    expect(mine).toMatchObject({ order_number: orders[1]?.order_number, merchant_id: other.id });
    await commandLine.refusedAll([
      [
        ['order', 'show', String(orders[0]?.order_number), '--merchant', String(other.id)],
        /no order of merchant \d+ with/,
      ],
      [['order', 'show', 'nothing'], /there is no order with the number or reference nothing/],
    ]);
  });
});

describe('topup order list', () => {
  it('lists orders of all merchants, newest first, by status, age and need of review', async () => {
    const old = await stack.order(merchant, [{ sku }]);
    await stack.sql(`UPDATE orders SET created_at = now() - interval '16 minutes' WHERE order_number = $1`, [
      old.order_number,
    ]);
    const inReview = await orderWithUnitsIn('review', 1);
    const list = async (...options: string[]): Promise<OrderFile[]> =>
      commandLine.json<OrderFile[]>('order', 'list', ...options);
    const numbers = async (...options: string[]): Promise<string[]> =>
      (await list(...options)).map(({ order_number }) => order_number);

    const [newest, ...others] = await list();
    expect(newest).toEqual({ ...inReview, status: 'processing', merchant_id: merchant.id });
    expect(others.length).toBeGreaterThan(0);
    const filtered = await Promise.all([
      numbers('--limit', '1'),
      numbers('--review'),
      numbers('--status', 'processing'),
      numbers('--older-than', '15m'),
      numbers('--status', 'failed'),
    ]);
    const { order_number } = inReview;
    expect(filtered).toEqual([[order_number], [order_number], [order_number], [old.order_number], []]);
    const { stdout } = await commandLine.run('order', 'list', '--review');
    expect(stdout).toMatch(
      new RegExp(`│ ${inReview.order_number} │ ${merchant.id} +│ ${inReview.reference_id} +│ processing │`),
    );
  });
});

describe('topup order resolve', () => {
  it('settles only the attempt that was current at the time of the command', async () => {
    const answerBesideNewAttempt = async (): Promise<{ order: OrderBody; refused: string }> => {
      const order = await orderWithUnitsIn('review', 1);
      const about = `(SELECT id FROM orders WHERE order_number = '${order.order_number}')`;
      const begin = (number: number): string =>
        `INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
         SELECT order_id, item, unit, ${number}, supplier_id, 'X', 'T' || order_id || '.${number}', now() FROM order_units
         WHERE order_id = ${about};
         UPDATE order_units SET attempt = ${number} WHERE order_id = ${about}`;
      await stack.fill(begin(1));
      const change = `
        SELECT FROM orders WHERE id = ${about} FOR UPDATE;
        UPDATE unit_attempts SET ended_as = 'failed', failure_code = 'OUT_OF_STOCK', ended_at = now()
        WHERE order_id = ${about};
        ${begin(2)}`;
      const refused = await besideChange(stack, change, () =>
        commandLine.refused(...resolve(order, '1.1', '--failed', 'OUT_OF_STOCK')),
      );
      return { order, refused };
    };
    // On a busy machine, the command may give up its wait before the change is committed.
    const { order, refused } = await eventually(
      answerBesideNewAttempt,
      ({ refused: message }) => !message.includes('takes too long'),
    );
    expect(refused).toContain('has a newer attempt than the one you saw');
    const asked = resolve(order, '1.1', '--succeeded', '--attempt');
    expect(await commandLine.refused(...asked, '1')).toContain('has a newer attempt than the one you saw');
    expect((await commandLine.json<OrderFile>(...asked, '2')).status).toBe('completed');
  });

  it('settles units by the operator’s decision; with the last one, the order ends and money moves', async () => {
    const before = await stack.wallet(merchant);
    const order = await orderWithUnitsIn('review');
    const half = await commandLine.json<OrderFile>(
      ...resolve(order, '1.1', '--succeeded', '--supplier-reference', 'S-1'),
    );
    expect(half).toMatchObject({
      status: 'processing',
      units: [{ state: 'succeeded', supplier_reference: 'S-1' }, { state: 'review' }],
    });
    const ended = await commandLine.json<OrderFile>(
      ...resolve(order, '1.2', '--failed', 'OUT_OF_STOCK', '--operator', 'Malee'),
    );
    expect(ended).toMatchObject({
      status: 'failed',
      failure_code: 'PARTIALLY_COMPLETED',
      units: [{ state: 'succeeded' }, { state: 'failed', failure_code: 'OUT_OF_STOCK', supplier_reference: null }],
    });
    expect(ended.timeline.map(({ event, unit, detail }) => [event, unit, detail])).toEqual([
      ['order.created', undefined, undefined],
      ['order.resolve', '1.1', 'succeeded by operator-1: asked the supplier'],
      ['order.resolve', '1.2', 'failed OUT_OF_STOCK by Malee: asked the supplier'],
      [
        'order.failed',
        undefined,
        expect.stringMatching(/^PARTIALLY_COMPLETED: 1 of 2 succeeded, 1 failed; 35\.00 THB/),
      ],
    ]);
    const times = ended.timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    for (const at of times) expect(at).toMatch(MOMENT);
    expect(times.at(-1)).toBe(ended.updated_at);
    const after = await stack.wallet(merchant);
    expect(Number(after.available)).toBe(Number(before.available) - 35);
    expect(after.held).toBe(before.held);
    await expectBooksToBalance(stack);

    const { stdout } = await commandLine.run('order', 'show', order.order_number);
    expect(stdout).toMatch(/\nUnits\n[^]+│ 1\.2 +│ .+ │ failed +│ fake[^]+\nTimeline\n[^]+order\.resolve/);
  });

  it('settles a unit in doubt even while a worker queries it', async () => {
    const order = await orderWithUnitsIn('unknown', 1);
    await commandLine.json(...resolve(order, '1.1', '--failed', 'CANCELLED_BY_OPERATOR'));
    const units = await stack.sql(
      `SELECT u.state, u.next_action_at FROM order_units u JOIN orders o ON o.id = u.order_id
       WHERE o.order_number = $1`,
      [order.order_number],
    );
    expect(units).toEqual([{ state: 'failed', next_action_at: null }]);
  });

  it.each(['queued', 'sending'])('does not change a %s unit', async (state) => {
    const order = await orderWithUnitsIn(state, 1);
    expect(await commandLine.refused(...resolve(order, '1.1', '--succeeded'))).toBe(
      `error: unit 1.1 is ${state}: only units in unknown or review can be resolved\n`,
    );
    const [unit] = await stack.sql<{ actions: bigint }>(
      `SELECT count(*) AS actions FROM operator_actions a JOIN orders o ON o.id = a.order_id WHERE o.order_number = $1`,
      [order.order_number],
    );
    expect(unit?.actions).toBe(0n);
  });

  it('accepts the merchant’s reference instead of the number, and requires the merchant if several use it', async () => {
    const order = await orderWithUnitsIn('review');
    const byReference = { ...order, order_number: order.reference_id };
    expect(await commandLine.json<OrderFile>(...resolve(byReference, '1.1', '--succeeded'))).toMatchObject({
      order_number: order.order_number,
      units: [{ state: 'succeeded' }, { state: 'review' }],
    });
    const other = await stack.merchant();
    await other.client.post('/v1/orders', {
      reference_id: order.reference_id,
      user_id: 'player-1',
      items: [{ sku }],
    });
    const second = resolve(byReference, '1.2', '--succeeded');
    expect(await commandLine.refused(...second)).toMatch(/several merchants have .+: add --merchant/);
    const file = await commandLine.json<OrderFile>(...second, '--merchant', String(merchant.id));
    expect(file).toMatchObject({ order_number: order.order_number, status: 'completed' });
  });

  it('lets one of two operators win', async () => {
    const order = await orderWithUnitsIn('review', 1);
    const runs = await Promise.all([
      commandLine.run(...resolve(order, '1.1', '--succeeded')),
      commandLine.run(...resolve(order, '1.1', '--failed', 'OUT_OF_STOCK')),
    ]);
    expect(new Set(runs.map(({ code }) => code))).toEqual(new Set([0, 1]));
    expect(runs.find(({ code }) => code === 1)?.stderr).toMatch(/^error: unit 1\.1 is (succeeded|failed): /);
    await expectBooksToBalance(stack);
  });

  it('reports that the unit is settled if the order cannot be shown afterwards', async () => {
    const order = await orderWithUnitsIn('review', 1);
    const client = new pg.Client(stack.config.DATABASE_URL);
    await client.connect();
    let message: string;
    try {
      await client.query('BEGIN; LOCK TABLE webhook_attempts');
      message = await commandLine.refused(...resolve(order, '1.1', '--succeeded'));
    } finally {
      await client.end();
    }
    const number = order.order_number;
    expect(message).toBe(
      `error: unit 1.1 is settled, but order ${number} can't be shown ` +
        `(canceling statement due to lock timeout): topup order show ${number}\n`,
    );
    expect(await commandLine.json('order', 'show', number)).toMatchObject({ status: 'completed' });
  });

  it('refuses invalid values', async () => {
    const order = await orderWithUnitsIn('review', 1);
    await commandLine.refusedAll([
      [resolve(order, '1.2', '--succeeded'), /has no unit 1\.2: it has 1\.1/],
      [resolve(order, '1.1'), /either --succeeded or --failed with a code/],
      [resolve(order, '1.1', '--succeeded', '--failed', 'OUT_OF_STOCK'), /either --succeeded or --failed with a code/],
      [resolve(order, '1.1', '--succeeded', '--reason', ' '), /the reason must not be blank/],
      [resolve({ ...order, order_number: 'nothing' }, '1.1', '--succeeded'), /there is no order with the number or/],
    ]);
    const { screen } = await commandLine.prompted(resolve(order, '1.2', '--succeeded'), 'y\n');
    expect([screen.includes('[y/N]'), screen]).toEqual([false, expect.stringContaining('has no unit 1.2')]);
  });
});
