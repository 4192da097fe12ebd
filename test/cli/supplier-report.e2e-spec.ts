import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bought, FakeSupplier, neverSeen, refused } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

interface Comparison {
  ok: boolean;
  suppliers: Record<string, unknown>[];
}

let stack: TestStack;
let commandLine: CommandLine;
let shop: TestMerchant;
/** A second supplier, which sells fewer units than the stack's own. */
const small = new FakeSupplier();
/** More units than one batch of the report. */
let large: OrderBody;
let few: OrderBody;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
  await small.listen();
  await stack.addSupplier('small', small.url);
  shop = await stack.merchant('1000.00');
  const sku = await stack.product('1.00');
  const other = await stack.product('20.00', { supplier: 'small' });
  small.script('player-2', ({ reference }) =>
    reference.endsWith('.3') ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
  );
  large = await stack.order(shop, [...Array.from({ length: 5 }, () => ({ sku, quantity: 100 })), { sku }]);
  few = await stack.order(shop, [{ sku: other, quantity: 3 }], 'player-2');
  await stack.orderWith(shop, large.reference_id, 'completed');
  await stack.orderWith(shop, few.reference_id, 'failed');
});

afterAll(async () => {
  await stack.close();
  await small.close();
});

/** Runs the report. @returns the references that it queried at a supplier. */
async function inquiries(supplier: FakeSupplier, ...options: string[]): Promise<Set<string>> {
  const before = supplier.requests.length;
  await commandLine.run('report', 'supplier', ...options);
  return new Set(supplier.requests.slice(before).map(({ reference }) => reference));
}

describe('topup report supplier, with two suppliers', () => {
  it('counts for each supplier the units that it got', async () => {
    const { ok, suppliers } = await commandLine.json<Comparison>('report', 'supplier');
    expect(ok).toBe(true);
    expect(suppliers).toMatchObject([
      { supplier: 'fake', succeeded: 501, succeeded_amount: '501.00', failed: 0, open: 0, agreed: 501 },
      { supplier: 'small', succeeded: 2, succeeded_amount: '40.00', failed: 1, open: 0, agreed: 3 },
    ]);
  });

  it('queries a supplier only about units that it got', async () => {
    const ofSmall = [1, 2, 3].map((unit) => `${few.order_number}.1.${unit}`);
    expect([...(await inquiries(small))].sort()).toEqual(ofSmall);
    const ofFake = await inquiries(stack.supplier, '--supplier', 'fake');
    expect([...ofFake].filter((reference) => !reference.startsWith(large.order_number))).toEqual([]);
  });

  it('queries every unit, also in several batches', async () => {
    expect((await inquiries(stack.supplier)).size).toBe(501);
    const last = `${large.order_number}.6.1`;
    stack.supplier.script('player-1', ({ reference }) => (reference === last ? neverSeen : bought(reference)));
    const { code, stdout } = await commandLine.run('report', 'supplier', '--supplier', 'fake', '--json');
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as Comparison).suppliers).toMatchObject([
      {
        succeeded: 501,
        agreed: 500,
        unanswered: 0,
        differences: [{ reference: last, ours: 'succeeded', theirs: 'never_seen', amount: '1.00' }],
      },
    ]);
  });
  it('has as many queries in flight as the supplier may have', async () => {
    await stack.sql(`UPDATE suppliers SET max_in_flight = 2 WHERE code = 'fake'`);
    let now = 0;
    let most = 0;
    stack.supplier.script('player-1', async ({ reference }) => {
      most = Math.max(most, ++now);
      await stack.sql('SELECT 1');
      now--;
      return bought(reference);
    });
    expect((await inquiries(stack.supplier, '--supplier', 'fake')).size).toBe(501);
    expect(most).toBe(2);
  });
  it('compares the others too if the credentials of one can’t be opened, and names its problem', async () => {
    await stack.sql(`UPDATE suppliers SET token_sealed = 'damaged' WHERE code = 'fake'`);
    const { code, stdout } = await commandLine.run('report', 'supplier', '--json');
    const { ok, suppliers } = JSON.parse(stdout) as Comparison;
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(suppliers).toMatchObject([
      { supplier: 'fake', ok: false, succeeded: 501, agreed: 0, unanswered: 501, balance_amount: null },
      { supplier: 'small', ok: true, succeeded: 2, agreed: 3, unanswered: 0, problem: null },
    ]);
    expect(suppliers[0]?.problem).toMatch(/not readable/);
  });
});
