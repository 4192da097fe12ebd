import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOf } from '../../src/accounting/audit/closing.js';
import { ClosingsRepository } from '../../src/accounting/audit/closings.repository.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { monthsAgo, moveTo } from '../support/months.js';
import { checksThatSee } from '../support/planted.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { CommandLine } from './command-line.js';

interface Audit {
  ok: boolean;
  full: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
  checked: { orders: number; transfers: number };
  closed: { from: string; through: string; orders: number; left_open: number } | null;
}

interface Month {
  month: string;
  orders: number;
  left_open: number;
  transfers: number;
  deliveries: number;
  wallets: number;
  closed_by: string;
  hash: string;
}

interface Closed {
  closed: Month[];
  refused: { month: string; checks: { name: string; detail: string }[] } | null;
}

const [first, second] = [monthsAgo(3), monthsAgo(2)];

const of = ({ order_number }: OrderBody): string => `(SELECT id FROM orders WHERE order_number = '${order_number}')`;

describe('topup month', () => {
  let stack: TestStack;
  let receiver: WebhookReceiver;
  let merchant: TestMerchant;
  let commandLine: CommandLine;
  let sku: string;
  let orders: Record<'completed' | 'stuck' | 'slow' | 'partial' | 'late' | 'open', OrderBody>;
  const done: Closed[] = [];

  /** Two orders of the first month were open when it was closed. One of them ends before the second month is closed. */
  beforeAll(async () => {
    stack = await TestStack.start({ MONTH_CLOSE_AFTER_DAYS: '0' });
    receiver = await new WebhookReceiver().listen();
    commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
    merchant = await stack.merchant('1000.00');
    await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url('/months') });
    sku = await stack.product('35.00');
    stack.supplier.script('unlucky', ({ reference }) =>
      reference.endsWith('.2')
        ? refused(reference, 'OUT_OF_STOCK')
        : { status: 200, body: { reference, status: 'succeeded', supplier_reference: 'S' } },
    );
    const completed = await ordered('completed');
    await stack.stopWorkers();
    const [stuck, slow] = [await placed(), await placed()];
    await stack.sql(`UPDATE order_units SET next_action_at = now() + interval '1 day' WHERE state = 'queued'`);
    await moveTo(stack, first);
    done.push(await commandLine.json('month', 'close', '--through', first));
    await stack.sql(`UPDATE order_units SET next_action_at = now() WHERE order_id = ${of(slow)}`);
    await stack.startWorker();
    await stack.orderWith(merchant, slow.reference_id, 'completed');
    const partial = await ordered('failed', 'unlucky');
    await moveTo(stack, second);
    done.push(await commandLine.json('month', 'close', '--through', second, '--reason', 'the month is over'));
    const late = await ordered('completed');
    await stack.stopWorkers();
    orders = { completed, stuck, slow, partial, late, open: await placed() };
  });

  afterAll(async () => {
    await stack.close();
    await receiver.close();
  });

  const placed = (user?: string): Promise<OrderBody> => stack.order(merchant, [{ sku, quantity: 2 }], user);

  async function ordered(status: string, user?: string): Promise<OrderBody> {
    const order = await placed(user);
    await stack.orderWith(merchant, order.reference_id, status);
    return order;
  }

  const audit = (...options: string[]): Promise<Audit> => commandLine.json('audit', ...options);
  const see = (...statements: string[]): Promise<string[][]> => checksThatSee(stack, statements, {}, { full: true });

  it('close a month with its rows, and list the orders that are left open', () => {
    expect(done).toMatchObject([
      {
        closed: [{ month: first, orders: 3, left_open: 2, transfers: 5, deliveries: 1, wallets: 1 }],
        refused: null,
      },
      {
        closed: [{ month: second, orders: 1, left_open: 1, transfers: 4, deliveries: 2, wallets: 1 }],
        refused: null,
      },
    ]);
  });

  it('store the balances of each wallet, for ever', async () => {
    const shown = await commandLine.json<Month & { balances: object[]; checks: { name: string; detail: string }[] }>(
      'month',
      'show',
      second,
    );
    expect(shown).toMatchObject({ ...done[1]?.closed[0], closed_by: 'operator-1' });
    expect(shown.balances).toEqual([
      {
        merchant_id: merchant.id,
        available: '755.00',
        held: '70.00',
        credits: '1000.00',
        debits: '0.00',
        holds: '280.00',
        spends: '175.00',
        refunds: '35.00',
      },
    ]);
    expect(shown.checks).toContainEqual({
      name: 'order_statuses',
      detail: '3 orders: 1 completed, 1 failed, 1 open',
    });
    for (const change of [
      'UPDATE closed_months SET orders = orders',
      'DELETE FROM closed_wallets',
      'TRUNCATE closed_wallets, closed_months',
    ])
      await expect(stack.sql(change)).rejects.toThrow('a closed month is never changed');
    const list = await commandLine.json<Month[]>('month', 'list');
    expect(list.map(({ month }) => month)).toEqual([first, second]);
    expect((await commandLine.run('month', 'list')).stdout).toContain(`│ ${second} │ 1 `);
    const log = await commandLine.json<{ detail: object; reason: string | null }[]>('log', '--action', 'month.close');
    expect(log).toMatchObject([
      { reason: 'the month is over', detail: { month: second, hash: list[1]?.hash } },
      { detail: { month: first } },
    ]);
  });

  it('let the audit begin after the closed months, and show this', async () => {
    const closed = { from: first, through: second, orders: 4, left_open: 1 };
    expect(await audit()).toMatchObject({
      ok: true,
      full: false,
      checked: { orders: 3, transfers: 3 },
      closed,
    });
    expect(await audit('--full')).toMatchObject({
      ok: true,
      full: true,
      checked: { orders: 6, transfers: 12 },
      closed,
    });
    const { stdout } = await commandLine.run('audit');
    expect(stdout).toContain('Checked now: 3 orders and 3 movements of money.\n');
    expect(stdout).toContain(
      `Not read again: 4 orders of the closed 2 months from ${first} to ${second}, checked when`,
    );
    expect((await commandLine.run('audit', '--full')).stdout).toContain(
      'Checked now: 6 orders and 12 movements of money, closed months included.',
    );
    expect((await audit()).checks.find(({ name }) => name === 'available_balances')).toMatchObject({
      detail: '1 wallet, available 615.00 = credits 1000.00 - debits 0.00 - holds 420.00 + refunds 35.00',
    });
  });

  it.each<[string, () => string[], string[], string[]]>([
    [
      'of a closed month, in full only',
      () => [`UPDATE order_units SET sends = 0 WHERE unit = 1 AND order_id = ${of(orders.completed)}`],
      [],
      ['unit_states'],
    ],
    [
      'in the money of a closed month, in full only',
      () => [`DELETE FROM transfers WHERE kind = 'order_refund'`],
      [],
      ['available_balances', 'held_balances', 'statements', 'ended_orders_hold_nothing', 'refunds', 'closed_months'],
    ],
    [
      'that took an order out of a closed month, in full only',
      () =>
        ['unit_attempts', 'order_units', 'order_items']
          .map((table) => `DELETE FROM ${table} WHERE order_id = ${of(orders.completed)}`)
          .concat(`DELETE FROM orders WHERE order_number = '${orders.completed.order_number}'`),
      [],
      ['double_entry', 'closed_months'],
    ],
    [
      'of an order that was left open',
      () => [`UPDATE order_units SET inquiries = -1 WHERE unit = 1 AND order_id = ${of(orders.stuck)}`],
      ['unit_states'],
      ['unit_states'],
    ],
    [
      'of an open month',
      () => [`UPDATE orders SET open_items = 2 WHERE id = ${of(orders.open)}`],
      ['open_items'],
      ['open_items'],
    ],
    [
      'that opened an order of a closed month again',
      () => [`UPDATE orders SET status = 'processing', open_items = 1 WHERE id = ${of(orders.completed)}`],
      ['held_for_open_orders', 'closed_months'],
      [
        'held_for_open_orders',
        'open_orders_moved_nothing',
        'order_events',
        'order_statuses',
        'open_items',
        'closed_months',
      ],
    ],
    [
      'in the balance of a closing',
      () => [
        `UPDATE closed_wallets SET credits = credits + 100, available = available + 100 WHERE month = '${second}'`,
      ],
      ['available_balances', 'statements', 'closed_months'],
      ['closed_months'],
    ],
    [
      'in what a closing says of itself',
      () => [`UPDATE closed_months SET closed_by = 'x'`],
      ['closed_months'],
      ['closed_months'],
    ],
    [
      'that took a closing out of the chain',
      () => [`DELETE FROM closed_months WHERE month = '${first}'`],
      ['closed_months'],
      ['closed_months'],
    ],
    [
      'that took the last closing away, which is none: what it had is read again',
      () => [`DELETE FROM closed_months WHERE month = '${second}'`],
      [],
      [],
    ],
  ])('let the audit find a violation %s', async (_what, plant, seen, seenInFull) => {
    expect(await see(...plant())).toEqual([seen, seenInFull]);
  });

  it('let a full audit find a closing that was wrong from the start', async () => {
    const closings = new ClosingsRepository(stack.database);
    const closing = (await closings.list(stack.database)).at(-1);
    if (!closing) throw new Error('a month is closed');
    const wrong = { ...closing, orders: closing.orders + 1n };
    const hash = hashOf(wrong, await closings.wallets(stack.database, second)).toString('hex');
    const change = `UPDATE closed_months SET orders = ${wrong.orders}, hash = '\\x${hash}' WHERE month = '${second}'`;
    expect(await see(change)).toEqual([[], ['closed_months']]);
  });

  it('give the reason why a month can’t be closed', async () => {
    const close = (month: string): Promise<{ code: number | null; stderr: string }> =>
      commandLine.run('month', 'close', '--through', month);
    expect(await close(monthsAgo(0))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: \d{4}-\d\d can be closed from \d{4}-\d\d-01T17:00:00\.000Z on\n$/),
    });
    expect(await close(first)).toMatchObject({ code: 1, stderr: `error: ${first} is closed already\n` });
    expect(await close('2020-01')).toMatchObject({
      code: 1,
      stderr: `error: the books begin in ${first}: there is nothing in 2020-01\n`,
    });
    expect(await commandLine.run('month', 'show', '2020-01')).toMatchObject({
      code: 1,
      stderr: 'error: 2020-01 is not closed\n',
    });
  });
});

describe('A month', () => {
  let stack: TestStack;
  let merchant: TestMerchant;
  let commandLine: CommandLine;

  beforeAll(async () => {
    stack = await TestStack.start({ MONTH_CLOSE_AFTER_DAYS: '0' });
    commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
    merchant = await stack.merchant('1000.00');
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await stack.stopWorkers();
    await moveTo(stack, first);
  });

  afterAll(() => stack.close());

  it('is not closed while a check fails, is closed once by several commands at a time, and later by workers', async () => {
    const plant = (sends: number): Promise<void> =>
      stack.fill(`SET session_replication_role = 'replica'; UPDATE order_units SET sends = ${sends}`);
    await plant(0);
    const { code, stdout } = await commandLine.run('month', 'close', '--through', first, '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { closed: [], refused: { month: first, checks: [{ name: 'unit_states', ok: false }] } },
    ]);
    expect(await commandLine.run('month', 'close', '--through', first)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${first} was NOT closed: its books are not in order.`),
    });
    // A wrong reason must not end a closing only after its hours of checks.
    expect(await commandLine.run('month', 'close', '--through', first, '--reason', '')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the reason must have 1 to 500 characters\n',
    });
    await plant(1);
    const asked = await Promise.all(
      [1, 2, 3].map(() => commandLine.run('month', 'close', '--through', first, '--json')),
    );
    const closed = asked.flatMap((run) =>
      run.code === 0 ? (JSON.parse(run.stdout) as { closed: object[] }).closed : [],
    );
    expect(closed).toMatchObject([{ month: first }]);
    // A command that begins after the month is closed has nothing to do, and succeeds.
    for (const { stderr } of asked.filter((run) => run.code !== 0))
      expect(stderr).toMatch(/was closed by another process meanwhile|is closed already/);
    await stack.startWorker({ MONTH_CLOSE_AFTER_DAYS: 1 });
    const months = await eventually(
      () => stack.sql(`SELECT month, closed_by, orders::int FROM closed_months ORDER BY month`),
      (rows) => rows.length > 1,
    );
    expect(months.slice(0, 2)).toEqual([
      { month: first, closed_by: 'operator-1', orders: 1 },
      { month: second, closed_by: 'worker', orders: 0 },
    ]);
    expect(await commandLine.json('audit')).toMatchObject({ ok: true, checked: { orders: 0 } });
  });
});
