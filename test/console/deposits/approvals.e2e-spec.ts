import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../../support/books.js';
import { eventually } from '../../support/eventually.js';
import type { Answer, ErrorBody } from '../../support/http.js';
import { whileLocked } from '../../support/locks.js';
import type { TestMerchant } from '../../support/stack.js';
import { satang } from '../../deposits/scene.js';
import type { TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { expectDocumented, waitingPayment, type PaymentBody } from './deposits-desk.js';

interface ApprovalBody {
  id: number;
  kind: string;
  status: string;
  amount: string;
  currency: string;
  payment: string | null;
  deposit_number: string | null;
  merchant: { id: number } | null;
  missing: string | null;
}

let scene: Scene;
let nok: TestOperator;
let mali: TestOperator;
let tun: TestOperator;
let merchant: TestMerchant;
let made: { channel: string; deposit: string; payment: string };
beforeAll(async () => {
  scene = await startScene({ CONSOLE_APPROVAL_ABOVE: '1500.00' });
  nok = await scene.console.signedIn('finance');
  mali = await scene.console.signedIn('admin');
  tun = await scene.console.signedIn('finance');
});
beforeEach(async () => {
  merchant = await scene.stack.merchant('500.00');
  made = await waitingPayment({ merchant }, mali, '2000.00');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const ask = (body: object, { browser } = nok): Promise<Answer<ApprovalBody & ErrorBody>> =>
  browser.post('/api/approvals', { payment_id: made.payment, reason: 'ticket 7', ...body });
const approve = (id: number, { browser } = mali, body: object = {}): Promise<Answer<ApprovalBody & ErrorBody>> =>
  browser.post(`/api/approvals/${id}/approval`, body);
const payment = async (): Promise<PaymentBody> =>
  (await nok.browser.get<PaymentBody>(`/api/payments/${made.payment}`)).body;
const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;
const toDeposit = () => ({ kind: 'payment_credit', deposit_number: made.deposit });
const logged = (): Promise<{ action: string; operator: string; detail: Record<string, unknown> }[]> =>
  scene.console.sql(
    `SELECT action, operator, detail FROM operator_actions WHERE detail ->> 'payment' = $1 ORDER BY id`,
    [made.payment],
  );

describe('a decision about a large payment', () => {
  it('is not made by one person, whatever the decision, but for keep', async () => {
    const decisions = [
      ['credit', { deposit_number: made.deposit }],
      ['return', { reference: 'X1' }],
      ['ignore', {}],
      ['debit', {}],
    ] as const;
    for (const [what, body] of decisions) {
      const path = `/api/payments/${made.payment}/${what}`;
      const answer = await nok.browser.post<ErrorBody>(path, { ...body, reason: 'x' });
      expect([what, answer.status, answer.body.details?.[0]?.code]).toEqual([what, 403, 'APPROVAL_REQUIRED']);
    }
    expect((await nok.browser.post(`/api/payments/${made.payment}/keep`, { reason: 'x' })).status).toBe(409);
    expect([(await payment()).state, await available()]).toEqual(['waiting', '500.00']);
  });

  it('is made once by the second person, and both are in the log', async () => {
    const { status, body } = await ask(toDeposit());
    expect([status, body]).toMatchObject([
      201,
      { kind: 'payment_credit', status: 'open', payment: made.payment, deposit_number: made.deposit },
    ]);
    expectDocumented(body, 'ApprovalDto');
    expect(body.merchant?.id).toBe(merchant.id);
    expect((await approve(body.id, nok)).body.details?.[0]?.code).toBe('OWN_REQUEST');
    expect(await available()).toBe('500.00');
    const answers = await Promise.all([approve(body.id), approve(body.id), approve(body.id, tun)]);
    expect(answers.filter(({ status: each }) => each === 200).length).toBeGreaterThan(0);
    expect(satang(await available())).toBe(50_000n + satang(body.amount));
    const { decision, deposit_number: number } = await payment();
    expect([decision?.decision, decision?.reason, number]).toEqual(['credit', 'ticket 7', made.deposit]);
    expect(await logged()).toMatchObject([
      { action: 'approval.request', operator: nok.email },
      { action: 'payment.credit', detail: { requested_by: nok.email, approval_id: body.id } },
    ]);
    expect((await logged())[1]?.operator).not.toBe(nok.email);
  });

  it.each([
    ['payment_return', { reference: 'BACK-1' }, 'returned'],
    ['payment_ignore', {}, 'ignored'],
  ])('may be %s, which moves no money', async (kind, more, state) => {
    const { body } = await ask({ kind, ...more });
    expect([body.merchant, body.kind]).toEqual([null, kind]);
    expect((await approve(body.id)).body.status).toBe('approved');
    expect([(await payment()).state, await available()]).toEqual([state, '500.00']);
  });

  it('may take back what the wallet has, and the wallet’s entries name both operators', async () => {
    await approve((await ask({ kind: 'payment_credit', merchant_id: merchant.id })).body.id);
    await scene.console.sql(
      `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = amount WHERE public_id = $1`,
      [made.payment],
    );
    const { body } = await ask({ kind: 'payment_debit' });
    expect((await approve(body.id)).status).toBe(200);
    expect([await available(), (await payment()).is_open_case]).toEqual(['500.00', false]);
    const path = `/api/merchants/${merchant.id}/entries?limit=2`;
    const { data } = (await nok.browser.get<{ data: object[] }>(path)).body;
    const both = { operator: nok.email, approved_by: mali.email };
    expect(data).toMatchObject([
      { kind: 'debit', reference_id: `deposit:${made.payment}:back`, ...both },
      { kind: 'credit', reference_id: `deposit:${made.payment}`, ...both },
    ]);
  });

  it.each(['a part', 'nothing'])(
    'names what it could not take back of a wallet with %s, whenever it is asked',
    async (left) => {
      const credited = await approve((await ask({ kind: 'payment_credit', merchant_id: merchant.id })).body.id);
      await scene.console.sql(
        `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = amount WHERE public_id = $1`,
        [made.payment],
      );
      const spend = async (amount: string): Promise<void> => {
        const path = `/api/merchants/${merchant.id}/debits`;
        expect((await nok.browser.post(path, { amount, reference: `out-${amount}` })).status).toBe(200);
      };
      await spend('600.00');
      // A single debit of all would need an approval.
      if (left === 'nothing') await spend('700.00').then(async () => spend(await available()));
      const missing = left === 'nothing' ? (await payment()).amount : '100.00';
      const { body } = await ask({ kind: 'payment_debit' });
      expect([credited.body.missing, body.missing]).toEqual([null, null]);
      const first = await approve(body.id);
      expectDocumented(first.body, 'ApprovalDto');
      expect([first.body.missing, await available()]).toEqual([missing, '0.00']);
      await scene.stack.credit(merchant.id, '5.00');
      expect((await approve(body.id)).body).toEqual(first.body);
      const { data } = (await nok.browser.get<{ data: ApprovalBody[] }>('/api/approvals?status=approved')).body;
      expect(data.find(({ id }) => id === body.id)?.missing).toBe(missing);
    },
  );

  it('takes back what was approved, or nothing if the vendor took back more since then', async () => {
    await approve((await ask({ kind: 'payment_credit', merchant_id: merchant.id })).body.id);
    const takenBack = (part: string): Promise<unknown> =>
      scene.console.sql(
        `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = ${part}, decision = NULL, decided_by = NULL,
           decision_reason = NULL, decided_at = NULL WHERE public_id = $1`,
        [made.payment],
      );
    await takenBack('40000');
    const first = await ask({ kind: 'payment_debit' });
    expect(first.body.amount).toBe('400.00');
    await takenBack('60000');
    const before = await available();
    const refused = await approve(first.body.id);
    expect([refused.status, refused.body.details]).toMatchObject([
      409,
      [{ code: 'CHANGED_MEANWHILE', field: 'amount' }],
    ]);
    expect([await available(), (await ask({ kind: 'payment_debit' })).status]).toEqual([before, 409]);
    await mali.browser.post(`/api/approvals/${first.body.id}/rejection`, { reason: 'no longer right' });

    const second = await ask({ kind: 'payment_debit' });
    expect([second.body.amount, (await approve(second.body.id)).status]).toEqual(['600.00', 200]);
    await takenBack('amount');
    const rest = await ask({ kind: 'payment_debit' });
    expect(satang(rest.body.amount)).toBe(satang((await payment()).amount) - 60_000n);
    expect([(await approve(rest.body.id)).status, await available()]).toEqual([200, '500.00']);
  });

  it('is made by two whatever the amount, if the payment is not in THB', async () => {
    made = await waitingPayment({ merchant }, mali, '1000.00');
    // Only a card of another country pays so, which this channel does not take.
    await scene.stack.fill(
      `SET session_replication_role = 'replica';
       UPDATE incoming_payments SET reason = 'WRONG_CURRENCY', currency = 'USD' WHERE public_id = '${made.payment}'`,
    );
    const alone = await nok.browser.post<ErrorBody>(`/api/payments/${made.payment}/ignore`, { reason: 'x' });
    expect([alone.status, alone.body.details?.[0]?.code]).toEqual([403, 'APPROVAL_REQUIRED']);
    const credit = await ask(toDeposit());
    expect([credit.status, credit.body.message]).toEqual([
      409,
      `payment ${made.payment} is in USD, and wallets hold THB: return or ignore it`,
    ]);
    const { status, body } = await ask({ kind: 'payment_ignore' });
    expect([status, body.currency]).toEqual([201, 'USD']);
    expect((await approve(body.id)).body.status).toBe('approved');
  });

  it('is not made if the balance is not the one that the second person saw', async () => {
    const { body } = await ask(toDeposit());
    await scene.stack.credit(merchant.id, '1.00');
    const refused = await approve(body.id, mali, { expected_available: '500.00' });
    expect([refused.status, refused.body.details]).toMatchObject([
      409,
      [{ code: 'CHANGED_MEANWHILE', field: 'expected_available' }],
    ]);
    expect([await available(), (await payment()).state]).toEqual(['501.00', 'waiting']);
    expect((await approve(body.id, mali, { expected_available: '501.00' })).status).toBe(200);
  });

  it('locks the wallet before the requester, as a movement does, so that two approvals never deadlock', async () => {
    const { body } = await ask(toDeposit());
    let approved: Promise<Answer<ApprovalBody>> | undefined;
    await whileLocked(scene.stack, `SELECT FROM operators WHERE id = ${nok.id} FOR UPDATE`, async () => {
      approved = approve(body.id);
      await eventually(
        () => scene.stack.sql(`SELECT FROM wallets WHERE merchant_id = $1 FOR UPDATE SKIP LOCKED`, [merchant.id]),
        (free) => free.length === 0,
      );
    });
    expect((await approved)?.status).toBe(200);
  });

  it('waits once: the same request is the same one, and another one is refused', async () => {
    const { body } = await ask(toDeposit());
    expect((await ask(toDeposit(), mali)).body.id).toBe(body.id);
    const other = await ask({ kind: 'payment_ignore' });
    expect([other.status, other.body.message]).toEqual([409, expect.stringContaining('waits for approval')]);
    const rejected = await mali.browser.post<ApprovalBody>(`/api/approvals/${body.id}/rejection`, { reason: 'no' });
    expect(rejected.body.status).toBe('rejected');
    expect((await ask({ kind: 'payment_ignore' })).status).toBe(201);
  });

  it.each([
    ['no payment', { kind: 'payment_ignore', payment_id: undefined }, 400],
    ['an unknown payment', { kind: 'payment_ignore', payment_id: 'pay_0000000000000000000000' }, 404],
    ['nobody to credit', { kind: 'payment_credit' }, 400],
    ['an unknown deposit', { kind: 'payment_credit', deposit_number: 'dep_0000000000000000' }, 404],
    ['no reference', { kind: 'payment_return' }, 400],
    ['no case', { kind: 'payment_debit' }, 409],
  ])('with %s is not requested', async (_what, body, status) => {
    expect((await ask(body)).status).toBe(status);
  });

  it('is not requested for a small payment', async () => {
    made = await waitingPayment({ merchant }, mali, '1000.00');
    const { status, body } = await ask({ kind: 'payment_ignore' });
    expect([status, body.details?.[0]?.code]).toEqual([400, 'OUT_OF_RANGE']);
  });
});
