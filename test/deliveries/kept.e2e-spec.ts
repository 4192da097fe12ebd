import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { CallbackScene, type OpenUnit } from '../supplier-callbacks/scene.js';
import { deliveriesOf, handedOver, keptFor, newPlayer, read } from './handed-over.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
});

afterAll(() => closeWithBalancedBooks(scene.stack));

/** A supplier's callback about a sold unit. */
const sold = (
  reference: string,
  code: string | null,
  supplierReference = `S-${reference}`,
): Record<string, unknown> => ({
  kind: 'about',
  reference,
  outcome: {
    kind: 'succeeded',
    supplierReference,
    ...(code !== null && { deliveries: [{ serial: null, code, expiresOn: null }] }),
  },
});

/** A card that its supplier is still processing. */
const openCard = (): Promise<OpenUnit> => scene.openUnit('signing', 'code');

const codesOf = async ({ order }: OpenUnit): Promise<(string | null)[] | undefined> => {
  const [delivered] = await deliveriesOf(scene.stack, scene.merchant, order);
  return delivered?.map(({ code }) => code);
};

const verdict = async (): Promise<string | undefined> => (await scene.last('signing'))?.verdict;

describe('the code in a callback', () => {
  it('is stored with the unit that it settles, without an inquiry', async () => {
    const card = await openCard();
    await scene.call('signing', sold(card.reference, 'BY-CALLBACK'));
    expect(await verdict()).toBe('settled');
    expect(await codesOf(card)).toEqual(['BY-CALLBACK']);
    expect(scene.inquiries(card)).toBe(0);
  });

  it('is stored the first time only, and later ones are ignored', async () => {
    const card = await openCard();
    await scene.call('signing', sold(card.reference, 'FIRST'));
    for (const code of ['FIRST', 'SECOND']) {
      await scene.call('signing', sold(card.reference, code));
      expect(await verdict()).toBe('nothing_new');
    }
    expect(await codesOf(card)).toEqual(['FIRST']);
  });

  it('is stored once, even if several callbacks and answers bring it at the same time', async () => {
    const card = await openCard();
    const codes = Array.from({ length: 10 }, (_none, index) => `RACE-${index}`);
    await Promise.all(codes.map((code) => scene.call('signing', sold(card.reference, code))));
    const shown = await codesOf(card);
    expect(shown).toHaveLength(1);
    expect(codes).toContain(shown?.[0]);
    expect(await keptFor(scene.stack, card.order)).toBe(1);
  });

  it('may come later for a top-up, which is complete without it', async () => {
    const topUp = await scene.openUnit('signing');
    await scene.call('signing', sold(topUp.reference, null));
    expect(await deliveriesOf(scene.stack, scene.merchant, topUp.order)).toEqual([undefined]);
    await scene.call('signing', sold(topUp.reference, '12345'));
    const [delivered] = await deliveriesOf(scene.stack, scene.merchant, topUp.order);
    expect(delivered).toEqual([{ unit: 1, serial: '12345', code: null, expires_on: null }]);
  });

  it('of another purchase is not stored with the unit, and opens a discrepancy', async () => {
    const topUp = await scene.openUnit('signing');
    await scene.call('signing', sold(topUp.reference, null, 'S-1'));
    await scene.call('signing', sold(topUp.reference, 'OF-ANOTHER', 'S-2'));
    expect(await verdict()).toBe('contradicted');
    expect(await keptFor(scene.stack, topUp.order)).toBe(0);
  });
});

describe('a callback about a sold card without its code', () => {
  it('causes an inquiry, and the order waits', async () => {
    const card = await openCard();
    await scene.call('signing', sold(card.reference, null));
    expect(await verdict()).toBe('woke');
    await eventually(
      () => scene.inquiries(card),
      (count) => count > 0,
    );
    expect(await read(scene.merchant, card.order)).toMatchObject({ status: 'processing' });
    await scene.call('signing', sold(card.reference, 'AFTER-ALL'));
    expect(await codesOf(card)).toEqual(['AFTER-ALL']);
  });

  it('opens a discrepancy if the order has failed', async () => {
    const card = await openCard();
    const outcome = { kind: 'failed', code: 'OUT_OF_STOCK', message: 'sold out' };
    await scene.call('signing', { kind: 'about', reference: card.reference, outcome });
    await scene.stack.orderWith(scene.merchant, card.order.reference_id, 'failed');
    await scene.call('signing', sold(card.reference, null));
    expect(await verdict()).toBe('contradicted');
    await scene.call('signing', sold(card.reference, 'TOO-LATE'));
    expect(await keptFor(scene.stack, card.order)).toBe(0);
  });
});

describe('the late code of an attempt that another one followed', () => {
  it('is not delivered: its purchase opens a discrepancy', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00', { kind: 'code', supplier: 'signing' });
    await stack.sql(
      `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority)
       SELECT p.id, s.id, 'second', 2 FROM products p, suppliers s WHERE p.sku = $1 AND s.code = 'fake'`,
      [sku],
    );
    const player = newPlayer();
    stack.supplier.script(player, ({ reference }) =>
      reference.endsWith('.2') ? handedOver(reference, [{ code: 'ELSEWHERE' }]) : refused(reference, 'OUT_OF_STOCK'),
    );
    const order = await stack.order(merchant, [{ sku }], player);
    await deliveriesOf(stack, merchant, order);
    await scene.call('signing', sold(`${order.order_number}.1.1`, 'GIVEN-UP'));
    expect(await verdict()).toBe('contradicted');
    const [delivered] = await deliveriesOf(stack, merchant, order);
    expect(delivered).toMatchObject([{ code: 'ELSEWHERE' }]);
  });
});
