import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettlementRepository } from '../../src/orders/settlement.repository.js';
import { UnknownPurchasesRepository } from '../../src/fulfilment/reconciliation/unknown-purchases.repository.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import type { ErrorBody } from '../support/http.js';
import { holding, inTurn, untilWaiting } from '../support/locks.js';
import { PASSWORD, type TestOperator } from './console-stack.js';
import { contradict, startScene, type Scene } from './scene.js';

interface Reversal {
  id: number;
  order_number: string;
  unit: string;
  amount: string | null;
  status: string;
}

let scene: Scene;
let finance: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  finance = await scene.console.signedIn('finance');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const available = async (): Promise<string> => (await scene.stack.wallet(scene.merchant)).available;
const close = (id: number, body: object, { browser } = finance) =>
  browser.post<Reversal & ErrorBody>(`/api/reversals/${id}/closing`, body);

/** Reports that the unit of a discrepancy was bought after all. */
async function reportSold(id: number): Promise<void> {
  const [key] = await scene.stack.sql<{ order_id: bigint; item: number; unit: number; attempt: number }>(
    'SELECT order_id, item, unit, attempt FROM supplier_reversals WHERE id = $1',
    [id],
  );
  if (!key) throw new Error('the discrepancy has no unit');
  const answer = { state: 'succeeded', supplier_reference: null, detail: null, cost_micros: null, cost_currency: null };
  const settlement = scene.stack.api.get(SettlementRepository);
  await scene.stack.database.transaction((tx) => settlement.judgeReports(tx, [{ ...key, ...answer }]));
}

/** Closes a discrepancy. The report comes while the closing waits for the wallet. @returns its id. */
async function closeDuringReport(): Promise<number> {
  const { subject: id, first } = await inTurn(scene.stack, async () => {
    const id = await contradict(scene);
    return {
      subject: id,
      lock: `SELECT FROM wallets WHERE merchant_id = ${scene.merchant.id} FOR UPDATE`,
      first: () => close(id, { credit: '35.00', reason: 'ticket 4715' }),
      second: () => reportSold(id),
    };
  });
  expect(first.body).toMatchObject({ id, status: 'closed' });
  return id;
}

async function expectFollowed(id: number): Promise<void> {
  const { body } = await finance.browser.get<{ data: Reversal[] }>('/api/reversals?limit=2');
  expect(body.data).toMatchObject([
    { kind: 'bought_late', status: 'open' },
    { id, kind: 'taken_back', status: 'closed' },
  ]);
}

describe('reversals', () => {
  it('are listed with their costs for operators with the permission', async () => {
    const id = await contradict(scene);
    const { body } = await finance.browser.get<{ data: Reversal[] }>('/api/reversals?open=true');
    expect(body.data[0]).toMatchObject({ id, unit: '1.1', amount: '29.5', status: 'open' });
    const viewer = await scene.console.signedIn('viewer');
    const seen = await viewer.browser.get<{ data: Reversal[] }>('/api/reversals?limit=1');
    expect(seen.body.data).toEqual([expect.objectContaining({ id, amount: null })]);
    expect((await finance.browser.get<{ data: Reversal[] }>('/api/reversals?supplier=nobody')).body.data).toEqual([]);
  });

  it('are listed page by page, the newest first', async () => {
    const [older, newer] = [await contradict(scene), await contradict(scene)];
    const page = async (query: string): Promise<{ ids: number[]; next: string | null }> => {
      const { body } = await finance.browser.get<{ data: Reversal[]; next_cursor: string | null }>(
        `/api/reversals?${query}`,
      );
      return { ids: body.data.map(({ id }) => id), next: body.next_cursor };
    };
    const first = await page('open=true&limit=1');
    expect(first.ids).toEqual([newer]);
    expect((await page(`open=true&limit=1&cursor=${first.next}`)).ids).toEqual([older]);
    expect((await page('supplier=fake&limit=100')).next).toBeNull();
  });

  it('about a purchase of no known order are listed, and closed without a credit', async () => {
    const { api } = scene.stack;
    const { id: supplierId } = await api.get(SuppliersService).getByCode('fake');
    const purchase = { supplierReference: null, state: 'succeeded', boughtAt: null, cost: null } as const;
    const about = { reference: 'TGONE1', sku: 'ml86', player: '123 2001', detail: 'called back: succeeded' };
    const [id = 0] = await api.get(UnknownPurchasesRepository).report(supplierId, [{ ...purchase, ...about }]);
    const { body } = await finance.browser.get<{ data: Reversal[] }>('/api/reversals?open=true');
    expect(body.data[0]).toMatchObject({
      id,
      order_number: null,
      merchant_id: null,
      unit: null,
      kind: 'unknown_purchase',
      reference: 'TGONE1',
      supplier_sku: 'ml86',
      player: '123 2001',
    });
    const viewer = await scene.console.signedIn('viewer');
    const seen = await viewer.browser.get<{ data: object[] }>('/api/reversals?open=true');
    expect(seen.body.data[0]).toMatchObject({ id, player: '…001' });
    expect((await close(id, { credit: '35.00', reason: 'whose?' })).status).toBe(409);
    expect((await close(id, { reason: 'claimed' })).body).toMatchObject({ id, status: 'closed' });
  });

  it('are closed without a movement of money, once', async () => {
    const id = await contradict(scene);
    const before = await available();
    expect((await close(id, { reason: 'ticket 4711' })).body).toMatchObject({ id, status: 'closed' });
    expect(await available()).toBe(before);
    const again = await close(id, { reason: 'ticket 4711' });
    expect([again.status, again.body.message]).toEqual([409, `reversal ${id} is closed already`]);
  });

  it('give the merchant a credit, once, with the operator in the audit log', async () => {
    const id = await contradict(scene);
    const before = Number(await available());
    const [first, second] = await Promise.all([
      close(id, { credit: '35.00', reason: 'ticket 4712' }),
      close(id, { credit: '35.00', reason: 'ticket 4712' }),
    ]);
    expect(new Set([first.status, second.status])).toEqual(new Set([200, 409]));
    expect(Number(await available())).toBe(before + 35);
    const entries = await scene.console.sql(
      `SELECT operator, action, detail->>'credit' AS credit FROM operator_actions
       WHERE action = 'reversal.close' AND detail->>'reversal_id' = $1`,
      [String(id)],
    );
    expect(entries).toEqual([{ operator: finance.email, action: 'reversal.close', credit: '35.00' }]);
  });

  it('give no credit if another operator closed them meanwhile', async () => {
    const id = await contradict(scene);
    const before = await available();
    let late: ReturnType<typeof close> | undefined;
    await holding(scene.stack, 'supplier_reversals', async (client) => {
      late = close(id, { credit: '35.00', reason: 'ticket 4714' });
      await untilWaiting(scene.console);
      await client.query(
        `UPDATE supplier_reversals SET status = 'closed', closed_at = statement_timestamp() WHERE id = $1`,
        [id],
      );
    });
    expect((await late)?.status).toBe(409);
    expect(await available()).toBe(before);
  });

  it('stay open, and give no credit, if the supplier has reported otherwise since the operator looked', async () => {
    const id = await contradict(scene);
    const { body } = await finance.browser.get<{ data: object[] }>('/api/reversals?limit=1');
    expect(body.data).toMatchObject([{ id, reported: 'failed' }]);
    const before = await available();
    await reportSold(id);
    const seenBefore = await close(id, { credit: '35.00', reason: 'ticket 4716', expected_reported: 'failed' });
    expect([seenBefore.status, seenBefore.body.details]).toEqual([
      409,
      [expect.objectContaining({ field: 'expected_reported', code: 'CHANGED_MEANWHILE' })],
    ]);
    expect(await available()).toBe(before);
    const seenNow = await close(id, { reason: 'ticket 4716', expected_reported: 'succeeded' });
    expect(seenNow.body).toMatchObject({ id, status: 'closed', reported: 'succeeded' });
  });

  it('are followed by another one if the supplier contradicts itself while an operator closes them', async () => {
    await expectFollowed(await closeDuringReport());
  });

  it('are closed only after another confirmation, and with a reason', async () => {
    const id = await contradict(scene);
    const operator = await scene.console.signedIn('finance');
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [operator.id],
    );
    const refused = await close(id, { reason: 'ticket 4713' }, operator);
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    await operator.browser.post('/api/session/confirm', { password: PASSWORD });
    for (const body of [{}, { reason: 'x', credit: '-1.00' }, { reason: 'x', credit: 35 }])
      expect((await close(id, body, operator)).status).toBe(400);
    expect((await close(id, { reason: 'ticket 4713' }, operator)).status).toBe(200);
  });
});
