import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { bought, neverSeen, refused, type Answer } from '../support/fake-supplier.js';
import { TestStack, type OrderBody } from '../support/stack.js';
import { CommandLine } from './command-line.js';

type Line = Record<string, string | number | null>;

interface Comparison {
  ok: boolean;
  suppliers: (Line & { differences: Line[] })[];
}

let stack: TestStack;
let commandLine: CommandLine;
let orders: Record<'completed' | 'partial' | 'open', OrderBody>;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
  const shop = await stack.merchant('1000.00');
  const sku = await stack.product('35.00');
  stack.supplier.script('unlucky', ({ reference }) =>
    reference.endsWith('.2') ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
  );
  const completed = await stack.order(shop, [{ sku, quantity: 2 }]);
  const partial = await stack.order(shop, [{ sku, quantity: 2 }], 'unlucky');
  await stack.orderWith(shop, completed.reference_id, 'completed');
  await stack.orderWith(shop, partial.reference_id, 'failed');
  await stack.stopWorkers();
  orders = { completed, partial, open: await stack.order(shop, [{ sku, quantity: 3 }]) };
});

afterAll(() => stack.close());

describe('topup report supplier', () => {
  afterEach(() => {
    stack.supplier.balance = { status: 200, body: { balance: '123456.00', currency: 'THB' } };
  });

  it('agrees with our books, and shows our balance at the supplier', async () => {
    expect(await commandLine.json<Comparison>('report', 'supplier')).toEqual({
      ok: true,
      since: expect.any(String) as unknown as string,
      suppliers: [
        {
          supplier: 'fake',
          ok: true,
          succeeded: 3,
          succeeded_amount: '105.00',
          failed: 1,
          given_up: 0,
          surplus: 0,
          open: 3,
          agreed: 4,
          unanswered: 0,
          unaskable: 0,
          listed: null,
          unreadable: 0,
          unknown: 0,
          problem: null,
          balance_amount: '123456.00',
          balance_currency: 'THB',
          differences: [],
          open_cases: 0,
        },
      ],
      archived_orders: 0,
    });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const [nothing] = (await commandLine.json<Comparison>('report', 'supplier', '--since', later)).suppliers;
    expect(nothing).toMatchObject({ succeeded: 0, failed: 0, agreed: 0 });
  });

  it.each<[string, Answer, number]>([
    ['breaks off', 'drop', 1],
    ['is down', { status: 503 }, 1],
    ['refuses our credentials', { status: 403 }, 1],
    ['tells no balances', { status: 404 }, 0],
    ['tells a balance that nobody can read', { status: 200, body: {} }, 0],
  ])('has the right exit code if a supplier that has sold nothing yet %s', async (_what, balance, expected) => {
    stack.supplier.balance = balance;
    const none = ['--since', new Date(Date.now() + 3_600_000).toISOString()];
    const { code, stdout } = await commandLine.run('report', 'supplier', ...none);
    expect(code).toBe(expected);
    expect(stdout).toMatch(
      expected === 1
        ? /│ FAILED │[^]+incomplete for fake: the column problem says why/
        : /│ ok +│[^]+agree with our books/,
    );
    const asJson = await commandLine.run('report', 'supplier', ...none, '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      ok: expected === 0,
      suppliers: [
        {
          ok: expected === 0,
          unanswered: 0,
          unaskable: 0,
          problem: expect.stringMatching(/^balance: /) as unknown as string,
        },
      ],
    });
  });

  it('lists successes that the supplier did not sell, and refunded units that it sold', async () => {
    stack.supplier.script('player-1', () => neverSeen);
    stack.supplier.script('unlucky', ({ reference }) => bought(reference));
    const { code, stdout } = await commandLine.run('report', 'supplier', '--supplier', 'fake', '--json');
    const { ok, suppliers } = JSON.parse(stdout) as Comparison;
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const { order_number: sold } = orders.completed;
    const { order_number: unsold } = orders.partial;
    expect(suppliers).toMatchObject([
      {
        agreed: 1,
        differences: [
          { reference: `${sold}.1.1`, ours: 'succeeded', theirs: 'never_seen', amount: '35.00' },
          { reference: `${sold}.1.2`, ours: 'succeeded', theirs: 'never_seen', amount: '35.00' },
          { reference: `${unsold}.1.2`, ours: 'failed', theirs: 'succeeded', amount: '35.00' },
        ],
      },
    ]);
    const table = await commandLine.run('report', 'supplier');
    expect(table.stdout).toMatch(/Differences\n[^]+│ never_seen │ 35\.00 +│[^]+3 attempts differ: ask the supplier/);
  });

  it('lists refunded units that the supplier may still sell', async () => {
    stack.supplier.script('player-1', ({ reference }) => bought(reference));
    stack.supplier.script('unlucky', ({ reference }) => ({
      status: 200,
      body: { reference, status: 'processing' },
    }));
    const { code, stdout } = await commandLine.run('report', 'supplier', '--json');
    expect(code).toBe(1);
    const reference = `${orders.partial.order_number}.1`;
    expect((JSON.parse(stdout) as Comparison).suppliers).toMatchObject([
      {
        agreed: 2,
        differences: [
          { reference: `${reference}.1`, ours: 'succeeded', theirs: 'processing', amount: '35.00' },
          { reference: `${reference}.2`, ours: 'failed', theirs: 'processing', amount: '35.00' },
        ],
      },
    ]);
  });

  it('is not ok if the supplier does not answer', async () => {
    stack.supplier.script('player-1', () => ({ status: 500 }));
    stack.supplier.script('unlucky', () => 'drop');
    stack.supplier.balance = { status: 403 };
    const { code, stdout } = await commandLine.run('report', 'supplier', '--json');
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as Comparison).suppliers).toMatchObject([
      { ok: false, unanswered: 4, agreed: 0, balance_amount: null, differences: [] },
    ]);
    expect(await commandLine.refused('report', 'supplier', '--supplier', 'nobody')).toMatch(
      /there is no supplier nobody/,
    );
  });

  it('leaves out units that were cancelled before their first attempt: the supplier never got their references', async () => {
    stack.supplier.script('player-1', ({ reference }) => bought(reference));
    stack.supplier.script('unlucky', ({ reference }) =>
      reference.endsWith('.2') ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
    );
    const { order_number: cancelled } = orders.open;
    await commandLine.json('order', 'cancel', cancelled, '--reason', 'the player changed their mind', '--yes');
    const { stdout } = await commandLine.run('report', 'supplier', '--json');
    expect((JSON.parse(stdout) as Comparison).suppliers).toMatchObject([
      { succeeded: 3, failed: 1, open: 0, agreed: 4, unanswered: 0, differences: [] },
    ]);
    expect(stack.supplier.about(cancelled)).toEqual([]);
  });
});
