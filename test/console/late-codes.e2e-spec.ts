import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../src/core/secret-box.js';
import { unitDeliveryPlace } from '../../src/orders/codes/unit-deliveries.entity.js';
import { CommandLine } from '../cli/command-line.js';
import { handedOver, read } from '../deliveries/handed-over.js';
import { eventually } from '../support/eventually.js';
import type { ErrorBody } from '../support/http.js';
import { unique, type OrderBody } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { refusedOrder, sellLate, startScene, type Scene } from './scene.js';

let scene: Scene;
let support: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  support = await scene.console.signedIn('support');
});
afterAll(() => scene.close());

interface Case {
  id: number;
  kind: string;
  handed_over: boolean;
}

async function casesOf({ order_number }: OrderBody): Promise<Case[]> {
  const { body } = await support.browser.get<{ data: (Case & { order_number: string })[] }>('/api/reversals?limit=100');
  return body.data.filter((each) => each.order_number === order_number);
}

const reveal = (id: number, body: object = { reason: 'to sell it' }, { browser } = support) =>
  browser.post<{ pieces: object[] } & ErrorBody>(`/api/reversals/${id}/code`, body);

describe('the code of a late success', () => {
  it('is stored with the discrepancy, and shown with a reason and the permission, with an entry in the audit log', async () => {
    const order = await refusedOrder(scene);
    const code = unique('LATE');
    await sellLate(scene, order, code);
    const [found] = await casesOf(order);
    expect(found).toMatchObject({ kind: 'bought_late', handed_over: true });
    const id = found?.id ?? 0;
    const finance = await scene.console.signedIn('finance');
    expect((await reveal(id, undefined, finance)).status).toBe(403);
    expect((await reveal(id, {})).status).toBe(400);
    const { status, body, headers } = await reveal(id);
    expect([status, body, headers.get('cache-control')]).toEqual([
      200,
      { unit: '1.1', pieces: [{ code, serial: 'SER-9', expires_on: '2027-12-31' }] },
      'no-store',
    ]);
    const logged = await scene.console.sql(
      `SELECT operator, detail FROM operator_actions WHERE action = 'code.reveal'`,
    );
    const detail = { unit: '1.1', reversal_id: id, reason: 'to sell it' };
    expect(logged).toEqual([{ operator: support.email, detail }]);

    const { DATABASE_URL } = scene.stack.config;
    const commandLine = new CommandLine({ DATABASE_URL });
    const lists = [
      await support.browser.get('/api/reversals?limit=100'),
      await support.browser.get(`/api/orders/${order.order_number}`),
      await commandLine.json('reversal', 'list'),
      await commandLine.json('reversal', 'show', String(id)),
      await commandLine.json('log'),
    ];
    for (const list of lists) expect(JSON.stringify(list)).not.toContain(code);
    // The merchant got the money back.
    expect((await read(scene.merchant, order)).items[0]?.deliveries ?? []).toEqual([]);
    const [kept] = await scene.console.sql<Parameters<typeof unitDeliveryPlace>[0] & { sealed: Buffer }>(
      'SELECT order_id, item, unit, delivered_sealed AS sealed FROM supplier_reversals WHERE id = $1',
      [id],
    );
    if (!kept) throw new Error('the case is gone');
    const { sealed } = kept;
    expect(sealed.toString('latin1')).not.toContain(code);
    expect(scene.stack.api.get(SecretBox).openBytes(sealed, unitDeliveryPlace(kept)).toString()).toContain(code);
  });

  it('is stored also with a discrepancy that an earlier report without code opened; the first code stays', async () => {
    const order = await refusedOrder(scene);
    await sellLate(scene, order, null);
    expect(await casesOf(order)).toMatchObject([{ kind: 'bought_late', handed_over: false }]);
    const { id = 0 } = (await casesOf(order))[0] ?? {};
    expect((await reveal(id)).status).toBe(404);
    for (const code of ['CODE-first', 'CODE-second']) await sellLate(scene, order, code);
    expect(await casesOf(order)).toMatchObject([{ id, handed_over: true }]);
    expect((await reveal(id)).body.pieces).toMatchObject([{ code: 'CODE-first' }]);
  });

  it('is queried from the supplier if a list or a report opened the discrepancy, because these have no codes', async () => {
    const order = await refusedOrder(scene);
    const { stack } = scene;
    const reference = `${order.order_number}.1.1`;
    const [attempt] = await stack.sql<{ user_id: string }>('SELECT user_id FROM orders WHERE order_number = $1', [
      order.order_number,
    ]);
    stack.supplier.script(attempt?.user_id ?? '', () => handedOver(reference, [{ code: 'CODE-asked' }]));
    const { code } = await new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL }).run('report', 'supplier');
    expect(code).toBe(1);
    expect(await casesOf(order)).toMatchObject([{ kind: 'bought_late', handed_over: false }]);
    await stack.sql('UPDATE attempt_checks SET due_at = now()');
    const [found] = await eventually(
      () => casesOf(order),
      ([each]) => each?.handed_over === true,
    );
    expect((await reveal(found?.id ?? 0)).body.pieces).toMatchObject([{ code: 'CODE-asked' }]);
  });
});
