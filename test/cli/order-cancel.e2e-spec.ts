import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CliModule } from '../../src/cli.module.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { OrderCancellationService } from '../../src/support/order-cancellation.service.js';
import { NoQueuesModule } from '../../src/queues/no-queues.module.js';
import { OrderDecisionsModule } from '../../src/support/order-decisions.module.js';
import { OrderSupportService } from '../../src/support/order-support.service.js';
import { closeWithBalancedBooks, expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { besideChange, untilWaiting, whileLocked } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { CommandLine } from './command-line.js';

type OrderFile = OrderBody & {
  units: { unit: string; state: string; failure_code: string | null; attempts: number }[];
  timeline: { event: string; unit?: string; detail?: string }[];
};

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterEach(() => stack.stopWorkers());

afterAll(() => closeWithBalancedBooks(stack));

const cancel = (order: string, ...options: string[]): string[] => [
  'order',
  'cancel',
  order,
  '--reason',
  'ticket 4711',
  ...options,
];

/** Cancels an order of which some units cannot be cancelled. @returns the order, and the messages about these units. */
async function cancelPartly(...args: string[]): Promise<{ file: OrderFile; left: string[] }> {
  const { code, stdout, stderr } = await commandLine.run(...cancel(...(args as [string])), '--json');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { file: JSON.parse(stdout) as OrderFile, left: stderr.split('\n').filter((line) => line !== '') };
}

/** Writes a unit in a state in which a worker would leave it. */
const setUnit = ({ order_number }: OrderBody, unit: number, columns: string): Promise<object[]> =>
  stack.sql(
    `WITH started AS (UPDATE orders SET status = 'processing' WHERE order_number = $1 RETURNING id)
     UPDATE order_units SET sends = 1, ${columns} WHERE order_id IN (SELECT id FROM started) AND unit = $2`,
    [order_number, unit],
  );

const IN_DOUBT = `state = 'unknown', next_action = 'inquire', unknown_since = now(), next_action_at = now() + interval '1 h'`;
const IN_FLIGHT = `state = 'sending', next_action = 'inquire', claimed_by = 'w/1', next_action_at = now() + interval '1 h'`;
const IN_REVIEW = `state = 'review', unknown_since = now(), next_action_at = NULL`;

const statesOf = ({ units }: OrderFile): [string, string, string | null][] =>
  units.map(({ unit, state, failure_code }) => [unit, state, failure_code]);

describe('topup order cancel', () => {
  it('fails units that were never sent: the order ends, its price is returned, and audit log and history have operator and reason', async () => {
    const { body: webhook } = await merchant.client.post<{ id: string }>('/v1/merchant-webhooks', {
      url: 'http://127.0.0.1:9/hook',
    });
    const before = await stack.wallet(merchant);
    const order = await stack.order(merchant, [{ sku, quantity: 2 }, { sku }]);
    const file = await commandLine.json<OrderFile>(...cancel(order.order_number, '--operator', 'Malee'));
    expect(file).toMatchObject({ status: 'failed', failure_code: 'CANCELLED_BY_OPERATOR' });
    expect(file).toEqual(await commandLine.json('order', 'show', order.order_number));
    const failed = ['failed', 'CANCELLED_BY_OPERATOR'];
    expect(statesOf(file)).toEqual([
      ['1.1', ...failed],
      ['1.2', ...failed],
      ['2.1', ...failed],
    ]);
    const said = 'failed CANCELLED_BY_OPERATOR by Malee: ticket 4711';
    expect(file.timeline.map(({ event, unit, detail }) => [event, unit, detail])).toEqual([
      ['order.created', undefined, undefined],
      ['order.cancel', '1.1', said],
      ['order.cancel', '1.2', said],
      ['order.cancel', '2.1', said],
      ['order.failed', undefined, 'CANCELLED_BY_OPERATOR: The operator cancelled the top-up'],
    ]);
    expect(await stack.wallet(merchant)).toEqual(before);
    expect(await commandLine.json('log', '--action', 'order.cancel', '--limit', '1')).toMatchObject([
      {
        operator: 'Malee',
        merchant_id: merchant.id,
        order_number: order.order_number,
        reason: 'ticket 4711',
        detail: { units: ['1.1', '1.2', '2.1'], result: 'failed', code: 'CANCELLED_BY_OPERATOR' },
      },
    ]);
    const deliveries = await commandLine.json('webhook', 'deliveries', '--merchant', String(merchant.id));
    expect(deliveries).toMatchObject([{ event: 'order.failed', status: 'pending' }]);
    await merchant.client.delete(`/v1/merchant-webhooks/${webhook.id}`);
    await expectBooksToBalance(stack);
    expect(await commandLine.json('audit')).toMatchObject({ ok: true });
  });

  it('cancels one unit, and workers buy the rest', async () => {
    const order = await stack.order(merchant, [{ sku, quantity: 2 }]);
    const { file, left } = await cancelPartly(order.order_number, '--unit', '1.2');
    expect({ status: file.status, left }).toEqual({ status: 'processing', left: [] });
    expect(statesOf(file)).toEqual([
      ['1.1', 'queued', null],
      ['1.2', 'failed', 'CANCELLED_BY_OPERATOR'],
    ]);
    await stack.startWorker();
    const ended = await stack.orderWith(merchant, order.reference_id, 'failed');
    expect(ended).toMatchObject({
      failure_code: 'PARTIALLY_COMPLETED',
      items: [{ completed_quantity: 1, failed_quantity: 1, failure_code: 'CANCELLED_BY_OPERATOR' }],
    });
    expect(stack.supplier.about(order.order_number)).toMatchObject([{ reference: `${order.order_number}.1.1` }]);
  });

  it('cancels a unit that its supplier never accepted, after any number of sends', async () => {
    const user = unique('player');
    stack.supplier.script(user, () => ({ status: 429, headers: { 'retry-after': '600' } }));
    await stack.startWorker();
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => commandLine.json<OrderFile>('order', 'show', order.order_number),
      ({ units }) => units[0]?.attempts === 1 && units[0].state === 'queued',
    );
    const file = await commandLine.json<OrderFile>(...cancel(order.order_number));
    expect(file).toMatchObject({ status: 'failed', units: [{ state: 'failed', attempts: 1 }] });
    expect(stack.supplier.about(order.order_number)).toHaveLength(1);
  });

  it('leaves units that may have been bought, and gives the reason for each', async () => {
    const order = await stack.order(merchant, [{ sku, quantity: 5 }]);
    await setUnit(order, 1, IN_DOUBT);
    await setUnit(order, 2, IN_FLIGHT);
    await setUnit(order, 3, IN_REVIEW);
    const resolved = ['--unit', '1.3', '--succeeded', '--reason', 'sold'];
    await commandLine.json('order', 'resolve', order.order_number, ...resolved);
    await setUnit(order, 4, IN_REVIEW);
    const { file, left } = await cancelPartly(order.order_number);
    expect(file.units.map(({ state }) => state)).toEqual(['unknown', 'sending', 'succeeded', 'review', 'failed']);
    expect(left).toEqual([
      'unit 1.1 is left as it is: it is in doubt, its supplier may have sold it: settle it with topup order resolve',
      'unit 1.2 is left as it is: a call to its supplier is in flight',
      'unit 1.3 is left as it is: it has succeeded',
      'unit 1.4 is left as it is: it is in doubt and waits for topup order resolve',
    ]);
    expect(file.timeline.filter(({ event }) => event === 'order.cancel')).toMatchObject([{ unit: '1.5' }]);
  });

  it.each([
    [
      'in doubt',
      IN_DOUBT,
      /^error: nothing of ord_\w+ was cancelled:\n {2}unit 1\.1 is left as it is: it is in doubt, /,
    ],
    ['in flight', IN_FLIGHT, /\n {2}unit 1\.1 is left as it is: a call to its supplier is in flight\n$/],
  ])('exits with 1 when its only unit is %s', async (_what, columns, message) => {
    const order = await stack.order(merchant, [{ sku }]);
    await setUnit(order, 1, columns);
    expect(await commandLine.refused(...cancel(order.order_number))).toMatch(message);
    const [entries] = await stack.sql<{ count: bigint }>(
      `SELECT count(*) FROM operator_actions a JOIN orders o ON o.id = a.order_id WHERE o.order_number = $1`,
      [order.order_number],
    );
    expect(entries?.count).toBe(0n);
  });

  it('cancels the others if one unit cannot be settled, and names that unit', async () => {
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await stack.fill(`
      CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER tg_refuse_end BEFORE UPDATE ON order_units FOR EACH ROW
        WHEN (NEW.unit = 2 AND NEW.state = 'failed') EXECUTE FUNCTION refuse_end()`);
    const { file, left } = await cancelPartly(order.order_number);
    await stack.fill('DROP TRIGGER tg_refuse_end ON order_units; DROP FUNCTION refuse_end');
    expect(statesOf(file).map(([, state]) => state)).toEqual(['failed', 'queued', 'failed']);
    expect(left).toEqual([expect.stringMatching(/^unit 1\.2/)]);
    expect((await cancelPartly(order.order_number)).file.status).toBe('failed');
  });

  it('changes nothing the second time', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    const file = await commandLine.json<OrderFile>(...cancel(order.order_number));
    const wallet = await stack.wallet(merchant);
    expect(await commandLine.refused(...cancel(order.order_number))).toMatch(
      /unit 1\.1 is left as it is: it has failed already, with CANCELLED_BY_OPERATOR\n$/,
    );
    expect(await commandLine.json('order', 'show', order.order_number)).toEqual(file);
    expect(await stack.wallet(merchant)).toEqual(wallet);
  });

  it('accepts a reference, and requires the merchant if several merchants use it', async () => {
    const other = await stack.merchant();
    const body = { reference_id: unique('same'), user_id: 'player-1', items: [{ sku }] };
    for (const { client } of [merchant, other]) await client.post('/v1/orders', body);
    expect(await commandLine.refused(...cancel(body.reference_id))).toMatch(
      /several merchants have .+: add --merchant/,
    );
    const file = await commandLine.json(...cancel(body.reference_id, '--merchant', String(other.id)));
    expect(file).toMatchObject({ merchant_id: other.id, status: 'failed' });
    expect((await merchant.client.get<OrderBody>(`/v1/orders/${body.reference_id}`)).body.status).toBe('pending');
    await commandLine.refusedAll([
      [cancel('nothing'), /there is no order with the number or reference nothing/],
      [cancel(body.reference_id, '--merchant', String(merchant.id), '--unit', '2.1'), /has no unit 2\.1: it has 1\.1/],
      [cancel(body.reference_id, '--merchant', String(merchant.id), '--reason', ' '), /the reason must not be blank/],
      [['order', 'cancel', 'x'], /required option '--reason <text>' not specified/],
    ]);
  });

  it('prompts on a terminal', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    const { code, screen } = await commandLine.prompted(cancel(order.order_number), 'n\n');
    expect(screen).toContain(
      `Every unit of ${order.order_number} that was not bought fails for good: its price is returned. Go on? [y/N] `,
    );
    expect(code).toBe(1);
    expect((await commandLine.prompted(cancel(order.order_number, '--yes'))).code).toBe(0);
  });
});

describe('topup order cancel beside workers', () => {
  let operator: INestApplicationContext;

  beforeAll(async () => {
    const module = CliModule.register(stack.config, stack.logger, {
      imports: [NoQueuesModule, OrderDecisionsModule],
    });
    operator = await NestFactory.createApplicationContext(module, { logger: false });
    await operator.get(SchemaService).whenReady();
  });

  afterAll(() => operator.close());

  /** Whether a unit of the order was cancelled. */
  async function tryToCancel({ order_number }: OrderBody): Promise<boolean> {
    const order = await operator.get(OrderSupportService).getByNumberOrReference(order_number);
    const by = { operator: 'Malee', reason: 'race' };
    return untilDone(() => operator.get(OrderCancellationService).cancel({ order, by })).then(
      () => true,
      (error: Error) => {
        if (!/^nothing of ord_\w+ was cancelled/.test(error.message)) throw error;
        return false;
      },
    );
  }

  it('races their claims for many orders: each unit is bought or cancelled, never both', async () => {
    const user = unique('player');
    const purchases = new Set<string>();
    let goOn: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (goOn = resolve));
    stack.supplier.script(user, async ({ reference }) => {
      purchases.add(reference);
      await begun;
      return bought(reference);
    });
    const orders = await Promise.all(
      Array.from({ length: 300 }, () => stack.order(merchant, [{ sku, quantity: 2 }, { sku }], user)),
    );
    await Promise.all([1, 2].map(() => stack.startWorker({ SUPPLIER_MAX_IN_FLIGHT: 4 })));
    let cancelled = 0;
    await eventually(
      () => purchases.size,
      (size) => size > 0,
    );
    for (;;) {
      // Workers claim the oldest orders first, so they claim these at this very moment.
      const next = await stack.sql<OrderBody>(
        `SELECT DISTINCT o.id, o.order_number FROM orders o JOIN order_units u ON u.order_id = o.id
         WHERE o.user_id = $1 AND u.state = 'queued' ORDER BY o.id LIMIT 4`,
        [user],
      );
      if (next.length === 0) break;
      const tries = await Promise.all(next.map(tryToCancel));
      // Fast workers would buy everything before a slow operator began.
      goOn();
      cancelled += tries.filter((isCancelled) => isCancelled).length;
    }
    for (const { reference_id } of orders) await stack.orderWith(merchant, reference_id, 'completed', 'failed');
    const units = await stack.sql<{ reference: string; state: string; failure_code: string | null }>(
      `SELECT o.order_number || '.' || u.item || '.' || u.unit AS reference, u.state, u.failure_code
       FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.user_id = $1`,
      [user],
    );
    const succeeded = units.filter(({ state }) => state === 'succeeded').map(({ reference }) => reference);
    expect(succeeded.sort()).toEqual([...purchases].sort());
    const others = units.filter(({ state }) => state !== 'succeeded').map(({ failure_code }) => failure_code);
    expect(new Set(others)).toEqual(new Set(['CANCELLED_BY_OPERATOR']));
    // Some orders must be cancelled and some bought, otherwise there was no race.
    expect(Math.min(cancelled, succeeded.length)).toBeGreaterThan(0);
    await expectBooksToBalance(stack);
    expect(await commandLine.json('audit')).toMatchObject({ ok: true });
  });

  it('refuses an order whose unit a worker claimed first, while the order was locked', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    const claim = `
      WITH claimed AS (
        UPDATE order_units SET state = 'sending', next_action = 'inquire', sends = 1, claim = claim + 1, claimed_by = 'w/2',
               attempt = 1, next_action_at = now() + interval '1 h'
        WHERE order_id = (SELECT id FROM orders WHERE order_number = '${order.order_number}')
        RETURNING order_id, item, unit, supplier_id)
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
      SELECT order_id, item, unit, 1, supplier_id, 'its-sku', '${order.order_number}.1.1', now() FROM claimed`;
    expect(await besideChange(stack, claim, () => tryToCancel(order))).toBe(false);
    const { body } = await merchant.client.get<OrderBody>(`/v1/orders/${order.reference_id}`);
    expect(body.status).toBe('processing');
  });

  it('waits for a wallet that another transaction keeps locked', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    let done = false;
    const cancelling = whileLocked(
      stack,
      `SELECT * FROM wallets WHERE merchant_id = ${merchant.id} FOR UPDATE`,
      async () => {
        const work = tryToCancel(order).finally(() => (done = true));
        await untilWaiting(stack);
        expect(done).toBe(false);
        return { work };
      },
    );
    expect(await (await cancelling).work).toBe(true);
  });
});
