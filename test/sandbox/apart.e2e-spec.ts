import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { SANDBOX_SUPPLIER_ID } from '../../src/core/sandbox.js';
import { CommandLine } from '../cli/command-line.js';
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

describe('the database keeps the sandbox apart', () => {
  let inSandbox: OrderBody;
  let live: OrderBody;

  beforeAll(async () => {
    inSandbox = await stack.order(tester, [{ sku }]);
    live = await stack.order(shop, [{ sku }]);
  });

  it('begins with every unit where it belongs', async () => {
    expect(await supplierOf(inSandbox)).toEqual([SANDBOX_SUPPLIER_ID]);
    expect(await supplierOf(live)).not.toContain(SANDBOX_SUPPLIER_ID);
  });

  it.each(['order_units', 'order_items'])('refuses to move a row of %s in or out', async (table) => {
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

  it('refuses an order of a sandbox merchant that is to be bought elsewhere, and one that poses as live', async () => {
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

  it('keeps merchants and keys what they are', async () => {
    const turn = 'UPDATE merchants SET sandbox = NOT sandbox WHERE id = $1';
    await expect(stack.sql(turn, [shop.id])).rejects.toThrow(/stays what it was created as/);
    const key = `INSERT INTO api_keys (merchant_id, prefix, key_hash) VALUES ($1, $2, sha256('x'))`;
    await expect(stack.sql(key, [shop.id, 'topup_test_abcdef'])).rejects.toThrow(/those of sandbox merchants/);
    await expect(stack.sql(key, [tester.id, 'topup_abcdef'])).rejects.toThrow(/those of sandbox merchants/);
  });

  it('keeps units of the sandbox from versions that do not know of it', async () => {
    const claim = `UPDATE order_units SET claim = claim + 1, attempt_claim = claim + 1, state = 'sending'
                   WHERE order_id = $1 RETURNING 1`;
    expect(await stack.sql(claim, [await idOf(inSandbox)])).toEqual([]);
  });

  it('keeps its supplier as it is: neither removed, nor paused, nor offering anything', async () => {
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

describe('operators have nothing to do with the supplier that is built in', () => {
  it('is in no list', async () => {
    const listed = await commandLine.json<{ code: string }[]>('supplier', 'list');
    expect(listed.map(({ code }) => code)).toEqual(['fake']);
    const adapters = await commandLine.json<{ adapter: string }[]>('supplier', 'adapters');
    expect(adapters.map(({ adapter }) => adapter)).not.toContain('sandbox');
  });

  it('can be neither set, nor shown, paused, removed or asked, nor offered from', async () => {
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
  it('cancels what a sandbox merchant ordered, and its money is back', async () => {
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
  it('tries no other supplier for a unit of the sandbox, and the sandbox for no live one', async () => {
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
    // At both of its offers.
    expect(stack.supplier.about(live.order_number)).toHaveLength(2);
    expect(await supplierOf(inSandbox)).toEqual([SANDBOX_SUPPLIER_ID]);
  });

  it('says the same of a purchase after each restart, whichever worker is asked', async () => {
    const order = await stack.order(tester, [{ sku }], 'sim-processing-2500');
    const asked = async (): Promise<number> =>
      (await stack.sql('SELECT FROM supplier_calls WHERE order_id = $1', [await idOf(order)])).length;
    await eventually(asked, (calls) => calls > 0);
    await stack.stopWorkers();
    await stack.startWorker();
    const { status } = await stack.orderWith(tester, order.reference_id, 'completed', 'failed');
    expect(status).toBe('completed');
  });
});
