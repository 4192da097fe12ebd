import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { SANDBOX_SUPPLIER_ID } from '../../src/core/sandbox.js';
import { CommandLine } from '../cli/command-line.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let commandLine: CommandLine;
let tester: TestMerchant;
let shop: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  tester = await stack.sandboxMerchant('10000.00');
  shop = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const supplierOf = async ({ order_number }: OrderBody): Promise<number[]> => {
  const rows = await stack.sql<{ supplier_id: number }>(
    `SELECT u.supplier_id FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1`,
    [order_number],
  );
  return rows.map(({ supplier_id }) => supplier_id);
};

const idOf = async ({ order_number }: OrderBody): Promise<string> => {
  const [row] = await stack.sql<{ id: string }>(`SELECT id FROM orders WHERE order_number = $1`, [order_number]);
  return String(row?.id);
};

describe('the database separates the sandbox', () => {
  let inSandbox: OrderBody;
  let live: OrderBody;

  beforeAll(async () => {
    inSandbox = await stack.order(tester, [{ sku }]);
    live = await stack.order(shop, [{ sku }]);
  });

  it('has every unit at a supplier of its own side', async () => {
    expect(await supplierOf(inSandbox)).toEqual([SANDBOX_SUPPLIER_ID]);
    expect(await supplierOf(live)).not.toContain(SANDBOX_SUPPLIER_ID);
  });

  it.each(['order_units', 'order_items'])('refuses to move a row of %s into or out of the sandbox', async (table) => {
    const move = async (order: OrderBody, to: string): Promise<object[]> =>
      stack.sql(`UPDATE ${table} SET supplier_id = ${to} WHERE order_id = $1`, [await idOf(order)]);
    const real = `(SELECT id FROM suppliers WHERE code = 'fake')`;
    await expect(move(inSandbox, real)).rejects.toThrow(/never moves into the sandbox, nor out of it/);
    await expect(move(live, '0')).rejects.toThrow(/never moves into the sandbox, nor out of it/);
    await expect(move(live, real)).resolves.toEqual([]);
  });

  it('refuses an attempt at the wrong supplier', async () => {
    const attempt = `INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
                     VALUES ($1, 1, 1, 9, 0, 'x', $2, now())`;
    await expect(stack.sql(attempt, [await idOf(live), unique('ref')])).rejects.toThrow(
      /sells to sandbox merchants only/,
    );
  });

  it('refuses an order of a sandbox merchant at a real supplier, and one that claims to be live', async () => {
    const copy = (sandbox: boolean): string => `
      WITH placed AS (
        INSERT INTO orders (merchant_id, sandbox, order_number, reference_id, content_hash, user_id, subtotal_amount,
                            discount_amount, total_amount, open_items, created_at, updated_at)
        SELECT merchant_id, ${sandbox}, $2, $2, content_hash, user_id, subtotal_amount, discount_amount, total_amount,
               1, now(), now() FROM orders WHERE id = $1 RETURNING id)
      INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
      SELECT id, 1, 'x', 1, 1, 1, (SELECT id FROM suppliers WHERE code = 'fake'), 'x' FROM placed`;
    const id = await idOf(inSandbox);
    await expect(stack.sql(copy(true), [id, unique('copy')])).rejects.toThrow(
      /is bought from the supplier that is built in/,
    );
    await expect(stack.sql(copy(false), [id, unique('copy')])).rejects.toThrow(/fk_orders_merchant/);
    await expect(stack.sql(copy(true), [await idOf(live), unique('copy')])).rejects.toThrow(/fk_orders_merchant/);
  });

  it('refuses to move merchants and keys into or out of the sandbox', async () => {
    const turn = 'UPDATE merchants SET sandbox = NOT sandbox WHERE id = $1';
    await expect(stack.sql(turn, [shop.id])).rejects.toThrow(/stays what it was created as/);
    const key = `INSERT INTO api_keys (merchant_id, prefix, key_hash) VALUES ($1, $2, sha256('x'))`;
    await expect(stack.sql(key, [shop.id, 'topup_test_abcdef'])).rejects.toThrow(/those of sandbox merchants/);
    await expect(stack.sql(key, [tester.id, 'topup_abcdef'])).rejects.toThrow(/those of sandbox merchants/);
  });

  it('hides units of the sandbox from versions without a sandbox', async () => {
    const claim = `UPDATE order_units SET claim = claim + 1, attempt_claim = claim + 1, state = 'sending'
                   WHERE order_id = $1 RETURNING 1`;
    expect(await stack.sql(claim, [await idOf(inSandbox)])).toEqual([]);
  });

  it('refuses to remove or pause the supplier of the sandbox, or to give it offers', async () => {
    await stack.sql('DELETE FROM suppliers WHERE id = 0');
    expect(await stack.sql('SELECT code, adapter FROM suppliers WHERE id = 0')).toEqual([
      { code: 'sandbox', adapter: 'sandbox' },
    ]);
    const pause = `UPDATE suppliers SET pause_reason = 'operator', paused_at = now() WHERE id = 0`;
    await expect(stack.sql(pause)).rejects.toThrow(/ck_suppliers_sandbox_goes_on/);
    const adapt = `UPDATE suppliers SET adapter = 'sandbox' WHERE code = 'fake'`;
    await expect(stack.sql(adapt)).rejects.toThrow(/ck_suppliers_sandbox/);
    const offer = `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku)
                   SELECT id, 0, sku FROM products WHERE sku = $1`;
    await expect(stack.sql(offer, [sku])).rejects.toThrow(/ck_supplier_offers_sandbox/);
  });
});

describe('the built-in supplier of the sandbox', () => {
  it('is in no list of operators', async () => {
    const listed = await commandLine.json<{ code: string }[]>('supplier', 'list');
    expect(listed.map(({ code }) => code)).toEqual(['fake']);
    const adapters = await commandLine.json<{ adapter: string }[]>('supplier', 'adapters');
    expect(adapters.map(({ adapter }) => adapter)).not.toContain('sandbox');
  });

  it('cannot be set, shown, paused, removed, queried or offered from by operators', async () => {
    const product = ['product', 'set', '--sku', unique('SKU'), '--name', 'N', '--price', '1.00'];
    await commandLine.refusedAll([
      [['supplier', 'set', '--code', 'sandbox', '--adapter', 'http', '--base-url', 'http://x'], /is built in/],
      [['supplier', 'show', 'sandbox'], /there is no supplier sandbox/],
      [['supplier', 'pause', 'sandbox', '--reason', 'r'], /there is no supplier sandbox/],
      [['supplier', 'resume', 'sandbox', '--reason', 'r'], /there is no supplier sandbox/],
      [['supplier', 'remove', 'sandbox', '--yes'], /there is no supplier sandbox/],
      [['supplier', 'test', 'sandbox'], /there is no supplier sandbox/],
      [[...product, '--supplier', 'sandbox'], /supplier sandbox/],
      [['offer', 'set', '--sku', sku, '--supplier', 'sandbox', '--supplier-sku', 'x'], /supplier sandbox/],
    ]);
    await expect(
      commandLine.refused('supplier', 'set', '--code', 'mine', '--adapter', 'sandbox', '--base-url', 'http://x'),
    ).resolves.toMatch(/adapter/);
  });
});

describe('topup order cancel', () => {
  it('cancels an order of a sandbox merchant, and returns its money', async () => {
    const { available } = await stack.wallet(tester);
    const { order_number: number, reference_id: reference } = await stack.order(tester, [{ sku }]);
    expect((await stack.wallet(tester)).available).not.toBe(available);
    await commandLine.json('order', 'cancel', number, '--reason', 'a trial', '--yes');
    const order = await stack.orderWith(tester, reference, 'failed');
    expect(order.failure_code).toBe('CANCELLED_BY_OPERATOR');
    expect((await stack.wallet(tester)).available).toBe(available);
  });
});

describe('routing', () => {
  it('never sends a unit of the sandbox to a real supplier, or a live unit to the sandbox', async () => {
    await stack.addSupplier('second', stack.supplier.url);
    const routed = await stack.product('35.00');
    const offer = { sku: routed, supplier: 'second', supplierSku: routed, priority: 2 };
    await stack.api.get(OffersService).set(offer, { operator: 'test' });
    const user = 'sim-fail-out_of_stock';
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const [inSandbox, live] = [
      await stack.order(tester, [{ sku: routed }], user),
      await stack.order(shop, [{ sku: routed }], user),
    ];
    await stack.startWorker();
    expect((await stack.orderWith(tester, inSandbox.reference_id, 'failed')).failure_code).toBe('OUT_OF_STOCK');
    expect((await stack.orderWith(shop, live.reference_id, 'failed')).failure_code).toBe('OUT_OF_STOCK');
    expect(stack.supplier.about(inSandbox.order_number)).toEqual([]);
    // The unit was tried with both offers.
    expect(stack.supplier.about(live.order_number)).toHaveLength(2);
    expect(await supplierOf(inSandbox)).toEqual([SANDBOX_SUPPLIER_ID]);
  });

  it('has the same result of a purchase after each restart, in every worker', async () => {
    const order = await stack.order(tester, [{ sku }], 'sim-processing-2500');
    const asked = async (): Promise<number> =>
      (await stack.sql(`SELECT FROM ${SUPPLIER_CALLS} c WHERE order_id = $1`, [await idOf(order)])).length;
    await eventually(asked, (calls) => calls > 0);
    await stack.stopWorkers();
    await stack.startWorker();
    const { status } = await stack.orderWith(tester, order.reference_id, 'completed', 'failed');
    expect(status).toBe('completed');
  });
});
