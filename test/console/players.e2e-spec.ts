import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnknownPurchasesRepository } from '../../src/fulfilment/reconciliation/unknown-purchases.repository.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { Hooks } from '../webhooks/support.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { TestOperator } from './console-stack.js';
import { contradict, inDoubt, startScene, type Scene } from './scene.js';

const SERVER = 'server-20014';
const CHARACTER = 'Hero Nok';

let scene: Scene;
let receiver: WebhookReceiver;
let support: TestOperator;
/** The roles that may not read players. */
let others: TestOperator[];
beforeAll(async () => {
  scene = await startScene();
  receiver = await new WebhookReceiver().listen();
  const { console } = scene;
  support = await console.signedIn('support');
  others = [await console.signedIn('viewer'), await console.signedIn('catalog')];
});
afterAll(() => closeWithBalancedBooks(scene.stack, receiver, scene.console));

/** An answer as text. */
const read = async ({ browser }: TestOperator, path: string): Promise<string> => {
  const { status, body } = await browser.get<unknown>(path);
  expect([path, status]).toEqual([path, 200]);
  return JSON.stringify(body);
};

/** Expects that roles without the permission find none of the words there, and a role with it finds each. */
async function expectHidden(path: string, words: string[]): Promise<void> {
  const whole = await read(support, path);
  for (const word of words) expect([path, word, whole.includes(word)]).toEqual([path, word, true]);
  for (const who of others) {
    const text = await read(who, path);
    for (const word of words) expect([path, word, text.includes(word)]).toEqual([path, word, false]);
  }
}

async function refusedOrder(player: string): Promise<OrderBody> {
  const { stack, merchant, sku } = scene;
  const said = `Player ${player} (${CHARACTER}) on ${SERVER} is banned`;
  stack.supplier.script(player, ({ reference }) => refused(reference, 'OUT_OF_STOCK', said));
  const order = {
    reference_id: unique('order'),
    user_id: player,
    server_id: SERVER,
    character_id: CHARACTER,
    items: [{ sku }],
    metadata: { buyer: 'nok@buyer.example' },
  };
  expect((await merchant.client.post('/v1/orders', order)).status).toBe(200);
  return stack.orderWith(merchant, order.reference_id, 'failed');
}

describe('an operator who may not read players', () => {
  it('finds none in texts of suppliers and operators about an order, or in the merchant’s metadata', async () => {
    const player = unique('player-of-an-order');
    const { order_number: number } = await refusedOrder(player);
    const path = `/api/orders/${number}`;
    await support.browser.post(`${path}/notes`, { text: `${player} wrote, from ${SERVER}` });
    await expectHidden(path, [player, SERVER, CHARACTER, 'nok@buyer.example']);
    const { body } = await others[0]!.browser.get<{ metadata: object; units: { failure_message: string }[] }>(path);
    expect([body.metadata, body.units[0]?.failure_message]).toEqual([
      {},
      `Player …${player.slice(-3)} (…Nok) on …014 is banned`,
    ]);
  });

  it('finds none in the review, or in the latest calls to a supplier', async () => {
    const { order_number: number } = await inDoubt(scene, support);
    // A worker's next inquiry would have words of its own.
    await scene.stack.stopWorkers();
    const [order] = await scene.console.sql<{ id: bigint; user_id: string }>(
      'SELECT id, user_id FROM orders WHERE order_number = $1',
      [number],
    );
    const { id, user_id: player = '' } = order ?? {};
    await scene.console.sql(`UPDATE supplier_calls SET detail = 'no answer about ' || $2 WHERE order_id = $1`, [
      id,
      player,
    ]);
    for (const path of ['/api/review', '/api/suppliers/fake/calls']) await expectHidden(path, [player]);
    expect(await read(others[0]!, '/api/review')).toContain(`no answer about …${player.slice(-3)}`);
    await scene.stack.startWorker();
  });

  it('finds none in a discrepancy, with or without an order', async () => {
    const id = await contradict(scene);
    const [order] = await scene.console.sql<{ user_id: string }>(
      `UPDATE supplier_reversals r SET detail = 'refunded to ' || o.user_id, supplier_reference = 'SN/' || o.user_id FROM orders o
       WHERE r.id = $1 AND o.id = r.order_id RETURNING o.user_id`,
      [id],
    );
    const stranger = unique('stranger').replaceAll('-', '');
    const { api } = scene.stack;
    const { id: supplierId } = await api.get(SuppliersService).getByCode('fake');
    const purchase = { supplierReference: `SN/${stranger}/1`, state: 'succeeded', boughtAt: null, cost: null } as const;
    // Suppliers write the player's id and server in one text.
    const player = `${stranger}(${SERVER})`;
    const about = { reference: `GONE-${stranger}`, sku: 'ml86', player, detail: `sold to ${stranger}` };
    await api.get(UnknownPurchasesRepository).report(supplierId, [{ ...purchase, ...about }]);
    await expectHidden('/api/reversals', [order?.user_id ?? '-', stranger, SERVER]);
    const shown = await read(others[0]!, '/api/reversals');
    const last = stranger.slice(-3);
    for (const text of [`sold to …${last}`, `SN/…${last}/1`, `GONE-…${last}`]) expect(shown).toContain(text);
  });

  it('sees reference and SKU of a discrepancy about an archived order, but no words of the supplier', async () => {
    const number = unique('ARCHIVED');
    // The archive removes the rows that the keys name.
    await scene.stack.fill(`
      SET session_replication_role = 'replica';
      INSERT INTO order_references (order_id, merchant_id, reference_id, order_number, content_hash, answer)
      VALUES (9000001, ${scene.merchant.id}, '${number}', '${number}', '', '[]');
      INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, reference, supplier_reference, supplier_sku,
                                      detail, created_at)
      SELECT 9000001, 1, 1, 1, id, 'unknown_purchase', '${number}-1-1', 'SN/nok', 'ml86', 'sold to nok', now()
      FROM suppliers WHERE code = 'fake';
      SET session_replication_role = 'origin'`);
    const { body } = await others[0]!.browser.get<{ data: { order_number: string }[] }>('/api/reversals');
    expect(body.data.find(({ order_number }) => order_number === number)).toMatchObject({
      archived: true,
      reference: `${number}-1-1`,
      supplier_sku: 'ml86',
      supplier_reference: '…',
      detail: '…',
    });
  });

  it('finds none in a delivered event, or in the receiver’s answer in any notation', async () => {
    const { id: webhook } = await new Hooks(scene.merchant).register(receiver.url('/echo'));
    const player = unique('player/with a slash');
    const { order_number: number } = await refusedOrder(player);
    const delivery = await eventually(
      async () => {
        const { body } = await support.browser.get<{
          data: { id: number; order_number: string; status: string }[];
        }>(`/api/webhooks/${webhook}/deliveries`);
        return body.data.find(({ order_number, status }) => order_number === number && status === 'succeeded');
      },
      (found) => found !== undefined,
    );
    await scene.console.sql(`UPDATE webhook_deliveries SET first_response_body = $2 WHERE id = $1`, [
      delivery?.id,
      `got ${encodeURIComponent(player)}`,
    ]);
    await expectHidden(`/api/deliveries/${delivery?.id}`, [
      player,
      encodeURIComponent(player),
      SERVER,
      CHARACTER,
      'nok@buyer.example',
    ]);
  });
});
