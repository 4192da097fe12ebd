import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { besideChange, whileLocked } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
  merchant = await stack.merchant();
});

afterAll(() => closeWithBalancedBooks(stack));

async function addSupplier(): Promise<string> {
  const code = unique('supplier');
  await stack.addSupplier(code, stack.supplier.url, 10_000, 'its-token');
  return code;
}

const codes = async (): Promise<string[]> =>
  (await commandLine.json<{ code: string }[]>('supplier', 'list')).map(({ code }) => code);

describe('topup supplier remove', () => {
  it('removes a supplier without references, with operator and reason in the audit log', async () => {
    const code = await addSupplier();
    const before = await commandLine.json('supplier', 'show', code);
    expect(await commandLine.json('supplier', 'remove', code, '--reason', 'never used')).toEqual(before);
    expect(await codes()).not.toContain(code);
    const [entry] = await commandLine.json<object[]>('log', '--action', 'supplier.remove');
    expect(entry).toMatchObject({
      operator: 'operator-1',
      reason: 'never used',
      detail: { code, adapter: 'http', base_url: stack.supplier.url },
    });
    expect(await commandLine.refused('supplier', 'remove', code)).toMatch(/there is no supplier/);
  });

  it('prompts on a terminal', async () => {
    const code = await addSupplier();
    const kept = await commandLine.prompted(['supplier', 'remove', code], 'n\n');
    expect(kept.screen).toContain(`Supplier ${code} is removed with its credentials, for good. Go on? [y/N]`);
    expect(await codes()).toContain(code);
    await commandLine.prompted(['supplier', 'remove', code, '--yes']);
    expect(await codes()).not.toContain(code);
  });

  it('refuses while the supplier has offers, and shows their number', async () => {
    const code = await addSupplier();
    const skus = [await stack.product('1.00', { supplier: code }), await stack.product('1.00', { supplier: code })];
    expect(await commandLine.refused('supplier', 'remove', code)).toBe(
      `error: supplier ${code} can't be removed: it is in use by 2 offers; remove its offers first\n`,
    );
    expect(await codes()).toContain(code);
    for (const sku of skus) await commandLine.json('product', 'set', '--sku', sku, '--supplier', 'fake');
    await commandLine.json('supplier', 'remove', code);
  });

  it('refuses for ever once the supplier has an order or a discrepancy', async () => {
    const code = await addSupplier();
    const sku = await stack.product('1.00', { supplier: code });
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await commandLine.json('product', 'set', '--sku', sku, '--supplier', 'fake');
    expect(await commandLine.refused('supplier', 'remove', code)).toMatch(
      /can't be removed: it is in use by units of orders; orders stay in the books, and so does their supplier/,
    );
    await stack.sql(
      `INSERT INTO supplier_reversals (order_id, item, unit, supplier_id, kind, created_at)
       SELECT u.order_id, u.item, u.unit, u.supplier_id, 'taken_back', now() FROM order_units u
       JOIN suppliers s ON s.id = u.supplier_id WHERE s.code = $1`,
      [code],
    );
    expect(await commandLine.refused('supplier', 'remove', code)).toMatch(/in use by units of orders, 1 discrepancy;/);
    await stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
    expect(await codes()).toContain(code);
  });

  it('refuses without advice about offers if the supplier has only a purchase that belongs to no order', async () => {
    const code = await addSupplier();
    await stack.sql(
      `INSERT INTO supplier_reversals (supplier_id, kind, reference, attempt, created_at)
       SELECT id, 'unknown_purchase', 'unknown', NULL, now() FROM suppliers WHERE code = $1`,
      [code],
    );
    expect(await commandLine.refused('supplier', 'remove', code)).toBe(
      `error: supplier ${code} can't be removed: it is in use by 1 discrepancy; discrepancies stay in the books, and so does their supplier\n`,
    );
  });

  it('refuses even if the supplier has only an attempt of a unit that another supplier sold', async () => {
    const code = await addSupplier();
    const order = await stack.order(merchant, [{ sku: await stack.product('1.00') }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await stack.sql(
      `INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
       SELECT o.id, 1, 1, 2, s.id, 'x', 'x', now() FROM orders o, suppliers s
       WHERE o.order_number = $1 AND s.code = $2`,
      [order.order_number, code],
    );
    expect(await commandLine.refused('supplier', 'remove', code)).toMatch(/in use by units of orders/);
  });

  it('waits for a transaction that adds a reference to the supplier, and then refuses', async () => {
    const removeBesideNewOffer = async (): Promise<string> => {
      const code = await addSupplier();
      const adding = `
        INSERT INTO products (sku, name, price, supplier_id, supplier_sku)
        SELECT '${unique('SKU')}', 'late', 1, id, 'late' FROM suppliers WHERE code = '${code}'`;
      return besideChange(stack, adding, () => commandLine.refused('supplier', 'remove', code));
    };
    // On a busy machine, the command may give up its wait before the offer is committed.
    const refused = await eventually(removeBesideNewOffer, (message) => !message.includes("can't be removed now"));
    expect(refused).toMatch(/in use by 1 offer;/);
  });

  it('gives up soon if a transaction goes on reading offers, because orders wait meanwhile, and says so', async () => {
    const code = await addSupplier();
    const refused = await whileLocked(stack, 'LOCK TABLE supplier_offers IN ACCESS SHARE MODE', () =>
      commandLine.refused('supplier', 'remove', code),
    );
    expect(refused).toBe(
      `error: supplier ${code} can't be removed now: another transaction uses the offers of suppliers, such as ` +
        'that of a backup: try again after it\n',
    );
    await commandLine.json('supplier', 'remove', code);
    expect(await codes()).not.toContain(code);
  });
});
