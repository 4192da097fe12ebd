import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import { unique } from '../support/stack.js';
import { CallbackScene } from './scene.js';

useCallingAdapters();

interface Case {
  id: number;
  order_number: string | null;
  merchant_id: number | null;
  unit: string | null;
  kind: string;
  reference: string | null;
  supplier_reference: string | null;
  detail: string | null;
  status: string;
}

let scene: CallbackScene;
let commandLine: CommandLine;
const log: string[] = [];

beforeAll(async () => {
  scene = await CallbackScene.start({ LOG_LEVEL: 'warn' }, { logTo: { write: (line) => void log.push(line) } });
  commandLine = new CommandLine({ DATABASE_URL: scene.stack.config.DATABASE_URL });
});

afterAll(() => closeWithBalancedBooks(scene.stack));

const about = (reference: string, more: object): object => ({ kind: 'about', reference, ...more });
const cases = (): Promise<Case[]> => commandLine.json<Case[]>('reversal', 'list');
const casesOf = async (reference: string): Promise<Case[]> =>
  (await cases()).filter((each) => each.reference === reference);
const call = async (code: string, callback: object): Promise<void> => {
  const { status } = await scene.call(code, { ...callback });
  expect(status).toBe(200);
};

describe('a callback about a purchase of no known order', () => {
  it('opens a discrepancy with what the supplier reported', async () => {
    const reference = unique('T');
    const outcome = {
      kind: 'succeeded',
      supplierReference: 'S-1',
      cost: { micros: 10_000_000_000, currency: 'IDR' },
    };
    const purchase = { sku: 'ml86', player: '1234567892001' };
    await call('signing', about(reference, { supplierReference: 'S-1', outcome, purchase }));
    expect(await casesOf(reference)).toEqual([
      {
        id: expect.any(Number),
        order_number: null,
        merchant_id: null,
        unit: null,
        archived: false,
        supplier: 'signing',
        kind: 'unknown_purchase',
        amount: '10000',
        currency: 'IDR',
        supplier_reference: 'S-1',
        reference,
        supplier_sku: 'ml86',
        player: '1234567892001',
        bought_at: null,
        detail: 'called back: succeeded',
        reported: null,
        handed_over: false,
        status: 'open',
        created_at: expect.any(String),
      },
    ]);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'unknown_reference', reference });
  });

  it('opens one discrepancy, even if it comes often or many times at once', async () => {
    const reference = unique('T');
    await Promise.all(Array.from({ length: 20 }, () => scene.succeed('signing', reference)));
    await scene.succeed('signing', reference, { deliveryId: reference });
    expect(await casesOf(reference)).toHaveLength(1);
  });

  it('updates its open discrepancy, and does not reopen a closed one', async () => {
    const reference = unique('T');
    await call('signing', about(reference, { outcome: { kind: 'processing' } }));
    expect(await casesOf(reference)).toMatchObject([{ detail: 'called back: processing' }]);
    const refusal = { kind: 'failed', code: 'OUT_OF_STOCK', message: 'sold out' };
    await call('signing', about(reference, { outcome: refusal }));
    const [found] = await casesOf(reference);
    expect(found).toMatchObject({ detail: 'called back: failed, OUT_OF_STOCK: sold out', status: 'open' });
    await commandLine.json('reversal', 'close', `${found?.id}`, '--reason', 'nothing was bought');
    await scene.succeed('signing', reference);
    expect(await casesOf(reference)).toMatchObject([
      { status: 'closed', detail: expect.stringContaining('OUT_OF_STOCK') },
    ]);
  });

  it('opens none if the purchase certainly failed', async () => {
    const reference = unique('T');
    await call('signing', about(reference, { outcome: { kind: 'failed', code: 'OUT_OF_STOCK', message: '' } }));
    expect(await casesOf(reference)).toEqual([]);
  });

  it('opens a discrepancy that names it unproven if the supplier signs no callbacks', async () => {
    const reference = unique('T');
    await scene.succeed('plain', reference);
    expect(await casesOf(reference)).toMatchObject([{ detail: expect.stringContaining('without proof') }]);
  });

  it('is only logged if it is unsigned and there were too many discrepancies within the hour', async () => {
    const [{ id } = { id: 0 }] = await scene.stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = 'plain'`);
    await scene.stack.fill(
      `INSERT INTO supplier_reversals (supplier_id, kind, attempt, reference, status, created_at, closed_at)
       SELECT $1, 'unknown_purchase', NULL, 'forged-' || n, 'closed', now(), now() FROM generate_series(1, 10000) n`,
      [id],
    );
    const [withheld, again, later] = [unique('T'), unique('T'), unique('T')];
    await scene.succeed('plain', withheld);
    await scene.succeed('plain', again);
    expect([...(await casesOf(withheld)), ...(await casesOf(again))]).toEqual([]);
    const all = await scene.stack.sql<{ id: number }>('SELECT id FROM supplier_reversals ORDER BY id DESC');
    expect(all.length).toBeGreaterThanOrEqual(10_000);
    expect((await cases()).map((each) => each.id)).toEqual(all.map((each) => each.id));
    for (const limit of [2, 1_000, 1_500]) {
      const newest = await commandLine.json<Case[]>('reversal', 'list', '--limit', `${limit}`);
      expect(newest.map((each) => each.id)).toEqual(all.slice(0, limit).map((each) => each.id));
      const { stdout } = await commandLine.run('reversal', 'list', '--limit', `${limit}`);
      expect(stdout).toMatch(new RegExp(`There are more: these are the newest ${limit}\\.\n$`));
    }
    const { stdout } = await commandLine.run('reversal', 'list', '--limit', `${all.length}`);
    expect([stdout.includes('forged-10000'), stdout.includes('There are more')]).toEqual([true, false]);
    const scrape = await Scrape.of(await openManagementPort(scene.stack.api));
    expect(scrape.value('topup_unknown_purchases_withheld_total', { supplier: 'plain' })).toBe(2);
    expect(log.filter((line) => line.includes('they open no more discrepancies'))).toHaveLength(1);
    // A signed callback is not counted, because no stranger can send it.
    await scene.stack.fill(`UPDATE supplier_reversals SET supplier_id = s.id FROM suppliers s
                           WHERE reference LIKE 'forged-%' AND s.code = 'signing'`);
    await scene.succeed('signing', again);
    expect(await casesOf(again)).toHaveLength(1);
    await scene.stack.fill(
      `UPDATE supplier_reversals SET supplier_id = $1, created_at = created_at - interval '1 hour'
       WHERE reference LIKE 'forged-%'`,
      [id],
    );
    await scene.succeed('plain', later);
    expect(await casesOf(later)).toHaveLength(1);
    await scene.stack.fill(`DELETE FROM supplier_reversals WHERE reference LIKE 'forged-%'`);
  });

  it('is recognised by the supplier’s reference if it has no other, and stays one discrepancy when it has both', async () => {
    const supplierReference = unique('S');
    const outcome = { kind: 'processing', supplierReference };
    await call('signing', { kind: 'about', supplierReference, outcome });
    const reference = unique('T');
    await call('signing', about(reference, { supplierReference, outcome: { kind: 'succeeded', supplierReference } }));
    const found = (await cases()).filter((each) => each.supplier_reference === supplierReference);
    expect(found).toMatchObject([{ reference: null, detail: 'called back: succeeded' }]);
  });

  it('fails the audit and the report until its discrepancy is closed, which moves no money', async () => {
    const reference = unique('T');
    await scene.succeed('signing', reference);
    const [found] = await casesOf(reference);
    const id = `${found?.id}`;
    const { stdout } = await commandLine.run('audit', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([expect.objectContaining({ name: 'supplier_reversals', ok: false })]),
    });
    expect(await commandLine.refused('reversal', 'close', id, '--credit', '35.00', '--reason', 'whose')).toMatch(
      /has no order, so closing it cannot credit/,
    );
    expect(await casesOf(reference)).toMatchObject([{ status: 'open' }]);
    await commandLine.json('reversal', 'close', id, '--reason', 'claimed, ticket 4711');
    const log = await commandLine.json<{ action: string; reason: string; detail: object }[]>('log');
    expect(log[0]).toMatchObject({
      action: 'reversal.close',
      reason: 'claimed, ticket 4711',
      detail: { reversal_id: found?.id, kind: 'unknown_purchase', supplier: 'signing', purchase: reference },
    });
    for (const open of await commandLine.json<Case[]>('reversal', 'list', '--open'))
      await commandLine.json('reversal', 'close', `${open.id}`, '--reason', 'end of the test');
    expect(await commandLine.run('audit')).toMatchObject({ code: 0 });
  });
});

describe('a callback about a known purchase opens no discrepancy', () => {
  it('when the order is at another supplier code with the same account', async () => {
    const unit = await scene.openUnit('plain');
    await scene.succeed('signing', unit.reference);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'unknown_reference' });
    expect(await casesOf(unit.reference)).toEqual([]);
  });

  it('when it is about an earlier attempt', async () => {
    const unit = await scene.openUnit('signing');
    const [{ sku } = { sku: '' }] = await scene.stack.sql<{ sku: string }>(
      `SELECT i.sku FROM order_items i JOIN orders o ON o.id = i.order_id WHERE o.order_number = $1`,
      [unit.order.order_number],
    );
    const offer = ['--sku', sku, '--supplier', 'plain', '--supplier-sku', sku, '--priority', '2'];
    await commandLine.json('offer', 'set', ...offer);
    const refusal = { kind: 'failed', code: 'OUT_OF_STOCK', message: 'sold out', failover: true };
    await call('signing', about(unit.reference, { outcome: refusal }));
    const later = `${unit.reference}.2`;
    await eventually(
      () => scene.stack.sql('SELECT FROM unit_attempts WHERE reference = $1', [later]),
      ({ length }) => length === 1,
    );
    await call('signing', about(unit.reference, { outcome: { kind: 'processing' } }));
    await scene.succeed('plain', later);
    await scene.succeed('signing', later);
    expect([...(await casesOf(unit.reference)), ...(await casesOf(later))]).toEqual([]);
    scene.sell({ ...unit, reference: later });
    // A callback that comes during a call causes no inquiry.
    const callBack = async (): Promise<string> => {
      await scene.succeed('plain', later);
      return (await scene.unit(unit)).state;
    };
    await eventually(callBack, (state) => state === 'succeeded');
  });

  it('when its unit is still to be sent under this reference, as after a restore from a backup', async () => {
    const restored = await CallbackScene.start({}, { worker: false });
    try {
      const sku = await restored.stack.product('35.00', { supplier: 'signing' });
      const order = await restored.stack.order(restored.merchant, [{ sku }], unique('player'));
      await restored.succeed('signing', `${order.order_number}.1.1`);
      await restored.succeed('signing', `${order.order_number}.1.2`);
      // The unit is not sent to another account.
      await restored.succeed('patient', `${order.order_number}.1.1`);
      const found = await restored.stack.sql(
        'SELECT s.code, r.reference FROM supplier_reversals r JOIN suppliers s ON s.id = r.supplier_id ORDER BY r.id',
      );
      expect(found).toEqual([
        { code: 'signing', reference: `${order.order_number}.1.2` },
        { code: 'patient', reference: `${order.order_number}.1.1` },
      ]);
    } finally {
      await restored.stack.close();
    }
  });
});

describe('topup reversal show', () => {
  it('names later orders for the same player and product', async () => {
    const reference = unique('T');
    const user = unique('8');
    const outcome = { kind: 'succeeded', supplierReference: null };
    const sku = await scene.stack.product('35.00', { supplier: 'signing', supplierSku: 'ml86-again' });
    const purchase = { sku: 'ml86-again', player: user };
    await call('signing', about(reference, { outcome, purchase }));
    const [found] = await casesOf(reference);
    const show = (): Promise<Case & { likely_matches: object[] }> =>
      commandLine.json('reversal', 'show', `${found?.id}`);
    expect(await show()).toMatchObject({ reference, likely_matches: [] });

    const order = await scene.stack.order(scene.merchant, [{ sku }], user);
    const other = await scene.stack.product('35.00', { supplier: 'signing', supplierSku: 'another' });
    await scene.stack.order(scene.merchant, [{ sku: other }], user);
    await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');
    expect((await show()).likely_matches).toEqual([
      {
        order_number: order.order_number,
        unit: '1.1',
        merchant_id: scene.merchant.id,
        reference_id: order.reference_id,
        user_id: user,
        server_id: null,
        state: 'succeeded',
        supplier: 'signing',
        reference: `${order.order_number}.1.1`,
        ordered_at: expect.any(String),
      },
    ]);
    const { stdout } = await commandLine.run('reversal', 'show', `${found?.id}`);
    expect(stdout).toContain(order.order_number);
    await commandLine.json('reversal', 'close', `${found?.id}`, '--reason', 'end of the test');
  });
});

describe('topup reversal close', () => {
  it('does not search for units that may repeat the purchase', async () => {
    const reference = unique('T');
    const outcome = { kind: 'succeeded', supplierReference: null };
    await call('signing', about(reference, { outcome, purchase: { sku: 'ml86', player: unique('8') } }));
    const [found] = await casesOf(reference);
    // The search reads offers, so it would wait for this lock until its time is over.
    const closed = await whileLocked(scene.stack, 'LOCK TABLE supplier_offers', () =>
      commandLine.json('reversal', 'close', `${found?.id}`, '--reason', 'end of the test'),
    );
    expect(closed).toMatchObject({ id: found?.id, status: 'closed' });
  });
});
