import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { fetchServed } from '../support/until-served.js';
import { CallbackScene } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
});

afterAll(() => closeWithBalancedBooks(scene.stack));

const OK = { status: 200, body: { status: 'ok' } };

describe('a callback that proves its sender', () => {
  it('settles its unit by its outcome, and the order ends', async () => {
    const unit = await scene.openUnit('signing');
    expect(await scene.succeed('signing', unit.reference)).toMatchObject(OK);
    expect(await scene.last('signing')).toMatchObject({
      verdict: 'settled',
      reference: unit.reference,
      attempt: 1,
    });
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    expect(scene.inquiries(unit)).toBe(0);
  });

  it('changes nothing if the unit was settled before', async () => {
    const unit = await scene.openUnit('signing');
    await scene.succeed('signing', unit.reference);
    expect(await scene.succeed('signing', unit.reference)).toMatchObject(OK);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'nothing_new' });
  });

  it('counts as a repeat if its delivery id came before, and then changes nothing', async () => {
    const unit = await scene.openUnit('signing');
    const more = { deliveryId: `d-${unit.reference}` };
    const answers = [
      await scene.succeed('signing', unit.reference, more),
      await scene.succeed('signing', unit.reference, more),
    ];
    for (const answer of answers) expect(answer).toMatchObject(OK);
    const verdicts = (await scene.stored('signing')).slice(-2).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['settled', 'repeated']);
  });

  it('settles its unit once, even if many arrive at the same time', async () => {
    const unit = await scene.openUnit('signing');
    const all = await Promise.all(Array.from({ length: 20 }, () => scene.succeed('signing', unit.reference)));
    for (const answer of all) expect(answer).toMatchObject(OK);
    const verdicts = (await scene.stored('signing'))
      .filter(({ reference }) => reference === unit.reference)
      .map(({ verdict }) => verdict);
    expect(verdicts.filter((verdict) => verdict === 'settled')).toHaveLength(1);
  });

  it('about a failed purchase fails its unit, and the merchant gets the money back', async () => {
    const unit = await scene.openUnit('signing');
    const outcome = { kind: 'failed', code: 'OUT_OF_STOCK', message: 'sold out' };
    await scene.call('signing', { kind: 'about', reference: unit.reference, outcome });
    expect(await scene.last('signing')).toMatchObject({ verdict: 'settled' });
    const order = await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'failed');
    expect(order).toMatchObject({ failure_code: 'OUT_OF_STOCK' });
  });

  it('that contradicts its settled unit opens one discrepancy', async () => {
    const unit = await scene.openUnit('signing');
    await scene.succeed('signing', unit.reference);
    const outcome = { kind: 'failed', code: 'SUPPLIER_REJECTED', message: 'refunded' };
    const about = { kind: 'about', reference: unit.reference, outcome };
    for (const verdict of ['contradicted', 'nothing_new']) {
      expect(await scene.call('signing', about)).toMatchObject(OK);
      expect(await scene.last('signing')).toMatchObject({ verdict });
    }
    expect(await scene.unit(unit)).toMatchObject({ state: 'succeeded' });
  });

  it('about a pending purchase changes nothing', async () => {
    const unit = await scene.openUnit('signing');
    const before = await scene.unit(unit);
    const outcome = { kind: 'processing' };
    await scene.call('signing', { kind: 'about', reference: unit.reference, outcome });
    expect(await scene.last('signing')).toMatchObject({ verdict: 'nothing_new' });
    expect((await scene.unit(unit)).due_in_s).toBeGreaterThan((before.due_in_s ?? 0) - 60);
    expect(scene.inquiries(unit)).toBe(0);
  });

  it('is in the history of its order, once', async () => {
    const unit = await scene.openUnit('signing');
    for (let count = 0; count < 2; count++)
      await scene.succeed('signing', unit.reference, { deliveryId: `t-${unit.reference}` });
    const calls = await scene.stack.sql(
      `SELECT c.kind, c.outcome FROM ${SUPPLIER_CALLS} c JOIN orders o ON o.id = c.order_id
       WHERE o.order_number = $1 ORDER BY c.id`,
      [unit.order.order_number],
    );
    expect(calls).toEqual([
      { kind: 'send', outcome: 'processing' },
      { kind: 'callback', outcome: 'succeeded' },
    ]);
  });

  it('about an unknown reference is kept and answered like any other', async () => {
    expect(await scene.succeed('signing', 'T0000000NOBODYS')).toMatchObject(OK);
    expect(await scene.last('signing')).toMatchObject({
      verdict: 'unknown_reference',
      reference: 'T0000000NOBODYS',
      attempt: null,
    });
  });

  it('does not settle another supplier’s unit', async () => {
    const unit = await scene.openUnit('plain');
    await scene.succeed('signing', unit.reference);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'unknown_reference' });
    expect(await scene.unit(unit)).toMatchObject({ state: 'unknown' });
  });

  it('finds its attempt by the supplier’s reference, once that is known', async () => {
    const unit = await scene.openUnit('signing');
    const supplierReference = `theirs-${unit.reference}`;
    await scene.call('signing', { kind: 'about', reference: unit.reference, supplierReference });
    const outcome = { kind: 'succeeded', supplierReference };
    await scene.call('signing', { kind: 'about', supplierReference, outcome });
    expect(await scene.last('signing')).toMatchObject({ verdict: 'settled', attempt: 1 });
  });

  it('that is only a ping is answered as a ping', async () => {
    expect(await scene.call('signing', { kind: 'ping' })).toMatchObject(OK);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'ping' });
  });

  it('that can’t be read is kept and answered like any other', async () => {
    expect(await scene.call('signing', 'not JSON at all')).toMatchObject(OK);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'unreadable', detail: 'it is not JSON' });
  });

  it('gets the answer that its supplier requires', async () => {
    const reply = { status: 202, contentType: 'text/plain', body: 'SUCCEED' };
    const answer = await fetchServed(scene.stack.url + (await scene.path('plain')), {
      method: 'POST',
      body: JSON.stringify({ kind: 'ping', reply }),
    });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(await answer.text()).toBe('SUCCEED');
  });
});

describe('a callback that does not prove its sender', () => {
  it('settles nothing, and causes one inquiry at once', async () => {
    const unit = await scene.openUnit('plain');
    scene.sell(unit);
    expect(await scene.succeed('plain', unit.reference)).toMatchObject(OK);
    expect(await scene.last('plain')).toMatchObject({ verdict: 'woke', attempt: 1 });
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    expect(scene.inquiries(unit)).toBe(1);
  });

  it('causes an inquiry no earlier than the supplier allows, and one for many callbacks', async () => {
    const unit = await scene.openUnit('patient');
    for (let count = 0; count < 5; count++) await scene.succeed('patient', unit.reference);
    const { state, due_in_s: dueInSeconds } = await scene.unit(unit);
    expect(state).toBe('unknown');
    expect(dueInSeconds).toBeGreaterThan(500);
    expect(dueInSeconds).toBeLessThanOrEqual(600);
    expect(scene.inquiries(unit)).toBe(0);
  });

  it('does not change the next inquiry if that is earlier anyway', async () => {
    const unit = await scene.openUnit('patient');
    await scene.stack.sql(
      `UPDATE order_units SET next_action_at = statement_timestamp() + interval '5 minutes'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [unit.order.order_number],
    );
    await scene.succeed('patient', unit.reference);
    expect((await scene.unit(unit)).due_in_s).toBeLessThanOrEqual(300);
  });

  it('may come by GET from a supplier that uses GET', async () => {
    const unit = await scene.openUnit('plain');
    scene.sell(unit);
    const answer = await fetchServed(`${scene.stack.url}${await scene.path('plain')}?reference=${unit.reference}`);
    expect(answer.status).toBe(200);
    expect(await scene.last('plain')).toMatchObject({ verdict: 'woke', reference: unit.reference });
    await eventually(
      () => scene.unit(unit),
      ({ state }) => state === 'succeeded',
    );
  });

  it('gives the attempt a supplier’s reference for later callbacks, but never replaces one', async () => {
    const unit = await scene.openUnit('patient');
    const about = { kind: 'about' as const, reference: unit.reference };
    await scene.call('patient', { ...about, supplierReference: 'theirs-1' });
    await scene.call('patient', { ...about, supplierReference: 'theirs-2' });
    const names = await scene.stack.sql('SELECT supplier_reference FROM unit_attempts WHERE reference = $1', [
      unit.reference,
    ]);
    expect(names).toEqual([{ supplier_reference: 'theirs-1' }]);
  });

  it('proves no supplier’s reference by an answer to an inquiry by ours, which has another one', async () => {
    const unit = await scene.openUnit('plain');
    const { reference, user } = unit;
    const body = { reference, status: 'processing', supplier_reference: 'theirs' };
    scene.stack.supplier.script(user, () => ({ status: 200, body }));
    await scene.call('plain', { kind: 'about', reference, supplierReference: 'forged' });
    const named = await eventually(
      () =>
        scene.stack.sql<{ supplier_reference: string; is_hearsay: boolean }>(
          'SELECT supplier_reference, is_hearsay FROM unit_attempts WHERE reference = $1',
          [reference],
        ),
      ([attempt]) => attempt?.is_hearsay === false,
    );
    expect(named).toEqual([{ supplier_reference: 'theirs', is_hearsay: false }]);
  });
});
