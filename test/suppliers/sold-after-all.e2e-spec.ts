import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/core/metrics.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, FakeSupplier, refused } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

interface Case {
  id: number;
  order_number: string | null;
  kind: string;
  supplier: string;
  detail: string | null;
}

interface Line {
  ok: boolean;
  given_up: number;
  agreed: number;
  surplus: number;
  differences: { reference: string; ours: string; theirs: string }[];
}

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
/** Sells what the first supplier refuses. */
const second = new FakeSupplier();
const directory = mkdtempSync(path.join(tmpdir(), 'sold-after-all-'));

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_PURCHASES_INTERVAL_MS: '0' });
  const { DATABASE_URL, secretsKey } = stack.config;
  commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
  merchant = await stack.merchant('10000.00');
  await second.listen();
  await stack.addSupplier('second', second.url);
});

afterEach(async () => {
  stack.supplier.purchases = () => ({ status: 404 });
  for (const { id } of await openCases())
    await commandLine.json('reversal', 'close', `${id}`, '--reason', 'end of the test');
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await second.close();
  rmSync(directory, { recursive: true });
});

const openCases = (): Promise<Case[]> => commandLine.json<Case[]>('reversal', 'list', '--open');

const casesOf = async ({ order_number }: OrderBody): Promise<Case[]> =>
  (await openCases()).filter((each) => each.order_number === order_number);

async function report(...options: string[]): Promise<Line> {
  const { stdout } = await commandLine.run('report', 'supplier', '--supplier', 'fake', '--json', ...options);
  return (JSON.parse(stdout) as { suppliers: [Line] }).suppliers[0];
}

/** An order whose first supplier says that it is out of stock. @returns it, as it ended, and the reference there. */
async function orderedInVain(sku: string): Promise<{ order: OrderBody; reference: string }> {
  const user = unique('player');
  stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  const { reference_id } = await stack.order(merchant, [{ sku }], user);
  const order = await stack.orderWith(merchant, reference_id, 'completed', 'failed');
  return { order, reference: `${order.order_number}.1.1` };
}

async function productOfBoth(): Promise<string> {
  const sku = await stack.product('35.00');
  await commandLine.json(
    'offer',
    'set',
    '--sku',
    sku,
    '--supplier',
    'second',
    '--supplier-sku',
    'other',
    '--priority',
    '2',
  );
  return sku;
}

/** The list of the first supplier says that it sold this. */
function list(reference: string): void {
  stack.supplier.purchases = () => ({
    status: 200,
    body: { data: [{ reference, status: 'succeeded', supplier_reference: 'S-9' }], next_cursor: null },
  });
}

describe('a purchase that its supplier lists as sold', () => {
  it('is a case where its unit failed, once, and the report says that the list has more', async () => {
    const { order, reference } = await orderedInVain(await stack.product('35.00'));
    expect(order.status).toBe('failed');
    list(reference);
    expect(await report()).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      {
        order_number: order.order_number,
        kind: 'bought_late',
        supplier: 'fake',
        detail: 'listed: succeeded',
      },
    ]);
    await report();
    expect(await casesOf(order)).toHaveLength(1);
    const { stdout } = await commandLine.run('report', 'supplier', '--supplier', 'fake');
    expect(stdout).toContain('The list of fake has 1 purchase more than our books');
  });

  it('is a case where its attempt was given up, and another supplier sold the unit', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    expect(order.status).toBe('completed');
    list(reference);
    expect(await report()).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      { order_number: order.order_number, kind: 'bought_late', supplier: 'fake' },
    ]);
  });

  it('is a case by a statement, too, by whichever name it tells', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    const { order_number } = order;
    await stack.fill(`
      SET session_replication_role = 'replica';
      UPDATE unit_attempts SET supplier_reference = 'S-${order_number}' WHERE reference = '${reference}'`);
    const file = path.join(directory, 'statement.csv');
    writeFileSync(file, `supplier_reference,status\nS-${order_number},Sukses\n`);
    expect(await report('--statement', file)).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      { order_number, kind: 'bought_late', detail: 'statement.csv, line 2: Sukses' },
    ]);
  });

  it('is none in a statement of its own names only, where the unit succeeded with the first answer', async () => {
    const { reference_id } = await stack.order(
      merchant,
      [{ sku: await stack.product('35.00') }],
      unique('player'),
    );
    const { order_number } = await stack.orderWith(merchant, reference_id, 'completed');
    const file = path.join(directory, 'theirs.csv');
    const nobodys = unique('S-nobody');
    writeFileSync(file, `supplier_reference,status\nS-${order_number}.1.1,Sukses\n${nobodys},Sukses\n`);
    await report('--statement', file);
    const unknown = (await openCases()).filter(({ kind }) => kind === 'unknown_purchase');
    expect(unknown).toMatchObject([{ supplier_reference: nobodys }]);
  });

  it('is a case that a worker opens and counts, which reads the list', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    list(reference);
    await stack.sql(`UPDATE suppliers SET purchases_due_at = NULL`);
    const worker = await stack.startWorker({ SUPPLIER_PURCHASES_INTERVAL_MS: 200 });
    const [found] = await eventually(
      () => casesOf(order),
      ({ length }) => length > 0,
    );
    expect(found).toMatchObject({ order_number: order.order_number, kind: 'bought_late' });
    const counted = async (): Promise<number | undefined> =>
      (
        await worker.get(Metrics).registry.getSingleMetric('topup_supplier_contradictions_total')?.get()
      )?.values.find(({ labels }) => labels.supplier === 'fake')?.value;
    await eventually(counted, (count) => count === 1);
  });
});

describe('topup report supplier', () => {
  it('asks about attempts that were given up, too: one that was sold is a difference and a case', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    const before = await report();
    expect(before.given_up).toBeGreaterThan(0);
    expect(before.differences.map((each) => each.reference)).not.toContain(reference);
    stack.supplier.script(order.order_number, () => bought(reference));
    stack.supplier.script(stack.supplier.about(order.order_number)[0]?.body?.user_id ?? '', () =>
      bought(reference),
    );
    const after = await report();
    expect(after).toMatchObject({ ok: false, agreed: before.agreed - 1 });
    expect(after.differences).toContainEqual({
      reference,
      ours: 'failed',
      theirs: 'succeeded',
      amount: '35.00',
    });
    expect(await casesOf(order)).toMatchObject([
      { order_number: order.order_number, kind: 'bought_late', detail: 'found by topup report supplier' },
    ]);
  });
});
