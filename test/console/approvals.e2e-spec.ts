import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import type { ErrorBody } from '../support/http.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { PASSWORD, type TestOperator } from './console-stack.js';
import { contradict, startScene, type Scene } from './scene.js';

interface ApprovalBody extends Pick<ErrorBody, 'message' | 'details'> {
  id: number;
  status: string;
  requested_by: string;
  is_own: boolean;
  decided_by: string | null;
}
type Answer = Promise<{ status: number; body: ApprovalBody }>;

let scene: Scene;
let nok: TestOperator;
let mali: TestOperator;
let merchant: TestMerchant;
let reference: string;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_APPROVAL_ABOVE: '1000.00' });
  nok = await scene.console.signedIn('finance');
  mali = await scene.console.signedIn('admin');
});
beforeEach(async () => {
  merchant = await scene.stack.merchant('5000.00');
  reference = unique('bank');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const ask = (body: object = {}, { browser } = nok, headers: Record<string, string> = {}): Answer => {
  const asked = {
    merchant_id: merchant.id,
    kind: 'credit',
    amount: '1000.01',
    reference,
    reason: 'ticket 7',
  };
  return browser.post('/api/approvals', { ...asked, ...body }, { headers });
};
const asked = async (body: object = {}, who = nok): Promise<number> => (await ask(body, who)).body.id;
const approve = (id: number, { browser } = mali, body: object = {}): Answer =>
  browser.post(`/api/approvals/${id}/approval`, body);
const reject = (id: number, { browser } = mali, reason = 'no such transfer'): Answer =>
  browser.post(`/api/approvals/${id}/rejection`, { reason });

const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;
const logged = (): Promise<{ action: string; operator: string; detail: Record<string, unknown> }[]> =>
  scene.console.sql(
    `SELECT action, operator, detail FROM operator_actions WHERE merchant_id = $1 AND source = 'console' ORDER BY id`,
    [merchant.id],
  );
const listed = async ({ browser } = mali, query = ''): Promise<ApprovalBody[]> =>
  (await browser.get<{ data: ApprovalBody[] }>(`/api/approvals?merchant=${merchant.id}${query}`)).body.data;

describe('a large movement', () => {
  it('needs a second person, while movements up to the limit do not', async () => {
    const path = `/api/merchants/${merchant.id}`;
    for (const kind of ['credits', 'debits']) {
      const { status, body } = await nok.browser.post<ErrorBody>(`${path}/${kind}`, {
        amount: '1000.01',
        reference,
      });
      expect([status, body.details?.[0]?.code]).toEqual([403, 'APPROVAL_REQUIRED']);
      expect(body.message).toContain('more than 1000.00 THB');
    }
    expect(await available()).toBe('5000.00');
    const { status } = await nok.browser.post(`${path}/credits`, { amount: '1000.00', reference });
    expect([status, await available()]).toEqual([200, '6000.00']);
  });

  it('needs a second person also as the credit of a reversal', async () => {
    const id = await contradict(scene);
    const close = (credit: string): Promise<{ status: number; body: ErrorBody }> =>
      nok.browser.post(`/api/reversals/${id}/closing`, { credit, reason: 'ticket 8' });
    const { status, body } = await close('1000.01');
    expect([status, body.details?.[0]?.code]).toEqual([403, 'APPROVAL_REQUIRED']);
    expect((await close('35.00')).status).toBe(200);
  });

  it('is made when another person approves it, with both names in statement, CSV and audit log', async () => {
    const { status, body } = await ask({ note: 'Monday’s transfer' });
    expect([status, body]).toMatchObject([201, { status: 'open', requested_by: nok.email, is_own: true }]);
    expect(await available()).toBe('5000.00');
    const approved = await approve(body.id, mali, { expected_available: '5000.00' });
    expect([approved.status, approved.body]).toMatchObject([
      200,
      { status: 'approved', decided_by: mali.email, is_own: false },
    ]);
    expect(await available()).toBe('6000.01');
    const path = `/api/merchants/${merchant.id}/entries`;
    const { body: entries } = await nok.browser.get<{ data: object[] }>(`${path}?limit=1`);
    const entry = { kind: 'credit', amount: '1000.01', reference_id: reference, note: 'Monday’s transfer' };
    expect(entries.data).toMatchObject([{ ...entry, operator: nok.email, approved_by: mali.email }]);
    const { body: csv } = await nok.browser.get<string>(`${path}.csv`);
    expect(csv.split('\n')[1]).toContain(`${nok.email},${mali.email}`);
    const [request, movement] = await logged();
    expect(request).toMatchObject({ action: 'approval.request', operator: nok.email });
    expect(movement).toMatchObject({
      action: 'wallet.credit',
      operator: mali.email,
      detail: { approval_id: body.id, requested_by: nok.email, request_reason: 'ticket 7', reference },
    });
  });

  it('that is a debit is made only if the balance is sufficient', async () => {
    const id = await asked({ kind: 'debit', amount: '5000.01' });
    const { status, body } = await approve(id);
    expect([status, body.message]).toEqual([409, `merchant ${merchant.id} has only 5000.00 THB available`]);
    await scene.stack.credit(merchant.id, '0.01');
    expect((await approve(id)).body.status).toBe('approved');
    expect(await available()).toBe('0.00');
  });
});

describe('an approval', () => {
  it('is never one’s own', async () => {
    const id = await asked();
    const { status, body } = await approve(id, nok);
    expect([status, body.details?.[0]?.code]).toEqual([403, 'OWN_REQUEST']);
    const statement = `UPDATE approvals SET status = 'rejected', decided_by = requested_by, decided_at = now() WHERE id = $1`;
    await expect(scene.console.sql(statement, [id])).rejects.toThrow('ck_approvals_second_person');
    expect(await available()).toBe('5000.00');
  });

  it('is refused if the requester created or changed the approver’s account within seven days, or the other way round', async () => {
    const tun = await scene.console.signedIn('finance');
    const by = { operator: mali.email, console: { operatorId: mali.id, ip: '127.0.0.1', requestId: 'r-1' } };
    await scene.console.operators.setRole(tun.email, 'finance', by);
    const ids = [
      await asked({ reference: `${reference}-1` }, mali),
      await asked({ reference: `${reference}-2` }, tun),
    ] as const;
    for (const { status, body } of [await approve(ids[0], tun), await approve(ids[1], mali)]) {
      expect([status, body.details?.[0]?.code]).toEqual([403, 'OWN_REQUEST']);
      expect(body.message).toContain(`${mali.email} gave a role to ${tun.email} at `);
    }
    expect(await available()).toBe('5000.00');
    expect((await approve(ids[0], nok)).status).toBe(200);
    await scene.stack.fill(
      `SET session_replication_role = replica;
       UPDATE operator_actions SET created_at = created_at - interval '8 days' WHERE action = 'operator.set_role'`,
    );
    expect((await approve(ids[1], mali)).status).toBe(200);
  });

  it('by two people at once, each more than once, makes one movement', async () => {
    const id = await asked();
    const tun = await scene.console.signedIn('finance');
    const answers = await Promise.all([mali, tun, mali, tun].map((each) => approve(id, each)));
    const done = answers.filter(({ status }) => status === 200);
    const first = done[0]?.body.decided_by ?? '';
    // The first approver gets the same result again; the other gets the answer that the request is decided.
    expect(done.map(({ body }) => body.decided_by)).toEqual([first, first]);
    const late = answers.filter(({ status }) => status === 409);
    expect(late.map(({ body }) => body.message)).toEqual([
      expect.stringContaining(`was approved by ${first}`),
      expect.stringContaining('nothing was done'),
    ]);
    expect(await available()).toBe('6000.01');
    expect((await logged()).map(({ action }) => action)).toEqual(['approval.request', 'wallet.credit']);
  });

  it('and a rejection at the same moment have one winner', async () => {
    const id = await asked();
    const tun = await scene.console.signedIn('finance');
    const [approved, rejected] = await Promise.all([approve(id), reject(id, tun)]);
    expect(new Set([approved.status, rejected.status])).toEqual(new Set([200, 409]));
    expect(await available()).toBe(approved.status === 200 ? '6000.01' : '5000.00');
    const first = approved.status === 200 ? `approved by ${mali.email}` : `rejected by ${tun.email}`;
    expect([approved, rejected].find(({ status }) => status === 409)?.body.message).toContain(`was ${first}`);
    expect(await logged()).toHaveLength(2);
  });

  it('moves nothing if the balance differs from the shown one', async () => {
    const id = await asked();
    await scene.stack.credit(merchant.id, '1.00');
    const { status, body } = await approve(id, mali, { expected_available: '5000.00' });
    expect([status, body.details?.[0]?.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    expect((await approve(id, mali, { expected_available: '5001.00' })).status).toBe(200);
  });

  it.each(['is disabled', 'has the role support'])('is refused when its requester %s now', async (what) => {
    const tun = await scene.console.signedIn('finance');
    const id = await asked({}, tun);
    if (what === 'is disabled') await scene.console.operators.disable(tun.email);
    else await scene.console.operators.setRole(tun.email, 'support');
    const { status, body } = await approve(id);
    expect([status, body.message]).toEqual([
      409,
      `${tun.email} ${what} now and no longer has the permission for this request: reject it`,
    ]);
    expect((await reject(id)).body.status).toBe('rejected');
    expect(await available()).toBe('5000.00');
  });

  it('is refused after seven days, and the reference can be used for a new request', async () => {
    const id = await asked();
    await scene.console.sql(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    const late = [await approve(id), await reject(id)];
    for (const { status, body } of late)
      expect([status, body.message]).toEqual([409, expect.stringContaining('has expired')]);
    expect(await listed()).toMatchObject([{ id, status: 'expired' }]);
    expect(await listed(mali, '&status=open')).toEqual([]);
    const again = await asked();
    expect(again).not.toBe(id);
    expect(await listed()).toMatchObject([
      { id: again, status: 'open' },
      { id, status: 'expired' },
    ]);
  });

  it('is refused if the reference was used meanwhile, and can be rejected with a reason', async () => {
    const id = await asked();
    await nok.browser.post(`/api/merchants/${merchant.id}/credits`, { amount: '1000.00', reference });
    expect([(await approve(id)).status, await available()]).toEqual([409, '6000.00']);
    expect((await reject(id, mali, ' ')).status).toBe(400);
    expect((await reject(id)).body).toMatchObject({ status: 'rejected', decided_by: mali.email });
    const after = await approve(id, await scene.console.signedIn('finance'));
    expect([after.status, after.body.message]).toEqual([
      409,
      expect.stringContaining(`request ${id} was rejected by ${mali.email}`),
    ]);
    expect((await logged()).at(-1)).toMatchObject({
      action: 'approval.reject',
      operator: mali.email,
      detail: { approval_id: id, requested_by: nok.email, reason: 'no such transfer' },
    });
  });

  it('must be confirmed with code or password', async () => {
    const tun = await scene.console.signedIn('finance');
    const id = await asked();
    await scene.console.sql(`UPDATE operator_sessions SET confirmed_at = NULL WHERE operator_id = $1`, [tun.id]);
    for (const call of [ask({ reference: 'other' }, tun), approve(id, tun), reject(id, tun)]) {
      const { status, body } = await call;
      expect([status, body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    }
    await tun.browser.post('/api/session/confirm', { password: PASSWORD });
    expect((await approve(id, tun)).status).toBe(200);
  });
});

describe('a request', () => {
  it('exists once, even if several people send it several times', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const answers = await Promise.all([ask({}, nok, headers), ask({}, nok, headers), ask({}, mali)]);
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
    expect((await logged()).map(({ action }) => action)).toEqual(['approval.request']);
    const other = await ask({ amount: '2000.00' });
    expect([other.status, other.body.message]).toEqual([
      409,
      expect.stringContaining(`reference ${reference} waits for approval`),
    ]);
  });

  it('that is repeated with the same key is the same one, even after its decision', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const { body } = await ask({}, nok, headers);
    await approve(body.id);
    const again = await ask({}, nok, headers);
    expect([again.status, again.body]).toMatchObject([201, { id: body.id, status: 'approved' }]);
    for (const change of [{ amount: '6000.00' }, { kind: 'debit' }, { reason: 'another' }, { note: 'a note' }]) {
      const other = await ask(change, nok, headers);
      expect([other.status, other.body.message]).toEqual([409, 'Idempotency-Key was used for something else']);
    }
    const without = await ask();
    expect([without.status, without.body.message]).toEqual([
      409,
      `reference ${reference} was used already, by ${nok.email}`,
    ]);
  });

  it('is withdrawn by the person who made it', async () => {
    const id = await asked();
    expect((await reject(id, nok, 'typing mistake')).body).toMatchObject({ status: 'withdrawn' });
    expect((await logged()).map(({ action }) => action)).toEqual(['approval.request', 'approval.withdraw']);
    expect((await approve(id)).status).toBe(409);
    expect(await asked()).not.toBe(id);
  });

  it.each([
    ['so little that nobody has to approve it', { amount: '1000.00' }],
    ['no reason', { reason: undefined }],
    ['a blank reference', { reference: ' ' }],
    ['another kind', { kind: 'order_hold' }],
    ['no merchant', { merchant_id: undefined }],
    ['a number', { amount: 5000 }],
  ])('with %s is refused', async (_what, body) => {
    expect((await ask(body)).status).toBe(400);
    expect(await logged()).toEqual([]);
  });

  it('for an unknown merchant is 404, and so is an unknown request', async () => {
    expect((await ask({ merchant_id: 999_999 })).status).toBe(404);
    expect((await approve(999_999)).status).toBe(404);
    expect((await reject(999_999)).status).toBe(404);
  });

  it('is listed in pages, and never changes after its decision', async () => {
    const ids = [await asked({ reference: `${reference}-1` }), await asked({ reference: `${reference}-2` })];
    const page = await mali.browser.get<{ data: ApprovalBody[]; next_cursor: string }>(
      `/api/approvals?merchant=${merchant.id}&status=open&limit=1`,
    );
    expect(page.body.data.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await listed(mali, `&cursor=${page.body.next_cursor}`)).map(({ id }) => id)).toEqual([ids[0]]);
    await reject(ids[0] ?? 0);
    const change = scene.console.sql(`UPDATE approvals SET amount = 1 WHERE id = $1`, [ids[0]]);
    await expect(change).rejects.toThrow('is never changed');
  });
});
