import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../../src/core/secret-box.js';
import { closeWithBalancedBooks } from '../../support/books.js';
import type { Answer, ErrorBody } from '../../support/http.js';
import type { TestMerchant } from '../../support/stack.js';
import { satang } from '../../deposits/scene.js';
import { PASSWORD, type TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { addDeposit, expectDocumented, presentSlip, waitingPayment, type PaymentBody } from './deposits-desk.js';

interface DepositBody {
  deposit_number: string;
  reference_id: string;
  merchant: { id: number };
  status: string;
  paid_amount: string;
  timeline: { event: string }[];
  slips: { reference: string; status: string; code: string | null; payment_id: string | null }[];
}
type Page<Item> = { data: Item[]; next_cursor: string | null };

let scene: Scene;
let nok: TestOperator;
let admin: TestOperator;
let support: TestOperator;
let merchant: TestMerchant;
let made: { channel: string; deposit: string; payment: string };
beforeAll(async () => {
  scene = await startScene();
  nok = await scene.console.signedIn('finance');
  admin = await scene.console.signedIn('admin');
  support = await scene.console.signedIn('support');
});
beforeEach(async () => {
  merchant = await scene.stack.merchant('500.00');
  made = await waitingPayment({ merchant }, admin);
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const payments = async (query: string): Promise<Page<PaymentBody>> =>
  (await support.browser.get<Page<PaymentBody>>(`/api/payments?${query}`)).body;
const shown = async (id = made.payment): Promise<PaymentBody> =>
  (await support.browser.get<PaymentBody>(`/api/payments/${id}`)).body;
const decide = (what: string, body: object = {}, { browser } = nok): Promise<Answer<PaymentBody & ErrorBody>> =>
  browser.post(`/api/payments/${made.payment}/${what}`, { reason: 'asked by phone', ...body });
const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;
const logged = (): Promise<{ action: string; operator: string; source: string }[]> =>
  scene.console.sql(
    `SELECT action, operator, source FROM operator_actions WHERE detail ->> 'payment' = $1 ORDER BY id`,
    [made.payment],
  );

describe('payments', () => {
  it('that wait are listed oldest first, with the deposits that they may be for and what the statement says', async () => {
    made = await waitingPayment({ merchant }, admin, '1000.00', [{ amount: 77_700n }, { amount: 88_800n }]);
    const { data } = await payments(`which=waiting&channel=${made.channel}`);
    expect(data.map(({ state, reason }) => [state, reason])).toEqual(Array(3).fill(['waiting', 'UNMATCHED']));
    const [first] = data;
    expect(first).toMatchObject({ id: made.payment, text: 'From X1234 SOMCHAI', merchant: null, is_open_case: false });
    expect(first?.suggestions).toMatchObject([
      { deposit_number: made.deposit, status: 'pending', merchant: { id: merchant.id } },
    ]);
    expectDocumented(data, { items: { $ref: '#/PaymentDto' } });
    const page = await payments(`which=waiting&channel=${made.channel}&limit=2`);
    const rest = await payments(`which=waiting&channel=${made.channel}&limit=2&cursor=${page.next_cursor}`);
    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual(data.map(({ id }) => id));
    const all = await payments(`channel=${made.channel}`);
    expect(all.data.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toReversed());
    expect((await payments(`channel=${made.channel}&amount=777.00`)).data).toHaveLength(1);
  });

  it('leave no text of a payer among the secrets that the console keeps open', async () => {
    expect((await shown()).text).toBe('From X1234 SOMCHAI');
    const { opened } = scene.console.app.get<SecretBox, { opened: Map<string, string> }>(SecretBox);
    expect([...opened.values()].join()).not.toContain('SOMCHAI');
  });

  it('say who reported them, and when', async () => {
    await presentSlip(scene.console, made.deposit, '014:4712');
    await scene.console.sql(`UPDATE incoming_payments SET slip_ref = '014:4712' WHERE public_id = $1`, [made.payment]);
    const { witnesses, imported_by: operator } = await shown();
    expect([witnesses.map(({ kind }) => kind), operator]).toEqual([['slip', 'line'], admin.email]);
    const [slip = 0, line = 0] = witnesses.map(({ seen_at: at }) => Date.parse(at));
    expect(slip).toBeGreaterThan(line);
    await scene.console.sql(`UPDATE slip_checks SET created_at = created_at - interval '1 hour' WHERE slip_ref = $1`, [
      '014:4712',
    ]);
    const earlier = await shown();
    expect(earlier.witnesses[0]).toMatchObject({ kind: 'slip', seen_at: earlier.seen_at });
  });

  it('may name a merchant, which is suggested first unless its deposit is known', async () => {
    const other = await scene.stack.merchant('0.00');
    await scene.console.sql(`UPDATE incoming_payments SET named_merchant_id = $2 WHERE public_id = $1`, [
      made.payment,
      other.id,
    ]);
    const payment = await shown();
    expect(payment.suggestions).toMatchObject([
      { deposit_number: null, merchant: { id: other.id }, why: 'metadata' },
      { deposit_number: made.deposit, merchant: { id: merchant.id }, why: 'amount' },
    ]);
    expectDocumented(payment, 'PaymentDto');
    const waitingFor = async ({ id }: TestMerchant): Promise<string[]> =>
      (await payments(`which=waiting&merchant=${id}`)).data.map((each) => each.id);
    expect([await waitingFor(other), await waitingFor(merchant)]).toEqual([[made.payment], []]);
    await scene.console.sql(
      `UPDATE incoming_payments SET deposit_id = (SELECT id FROM deposits WHERE deposit_number = $2) WHERE public_id = $1`,
      [made.payment, made.deposit],
    );
    expect((await shown()).suggestions).toMatchObject([{ deposit_number: made.deposit, why: 'amount' }]);
    expect([await waitingFor(other), await waitingFor(merchant)]).toEqual([[], [made.payment]]);
    const all = await payments(`merchant=${merchant.id}`);
    expect(all.data.map((each) => each.id)).not.toContain(made.payment);
  });

  it('are credited to a deposit, once, and the second operator learns who was first', async () => {
    const { status, body } = await decide('credit', { deposit_number: made.deposit });
    expect([status, body]).toMatchObject([
      200,
      {
        state: 'booked',
        booked_by: 'person',
        deposit_number: made.deposit,
        merchant: { id: merchant.id },
        missing: '0.00',
      },
    ]);
    expectDocumented(body, 'DecidedPaymentDto');
    expect(satang(await available())).toBe(50_000n + satang(body.amount));
    expect(body.decision).toMatchObject({ decision: 'credit', operator: nok.email, reason: 'asked by phone' });
    const again = await decide('ignore', {}, admin);
    expect([again.status, again.body.message]).toEqual([
      409,
      `payment ${made.payment} was decided by ${nok.email} (credit): it is booked`,
    ]);
    expect(await logged()).toEqual([{ action: 'payment.credit', operator: nok.email, source: 'console' }]);
    expect((await payments(`merchant=${merchant.id}`)).data.map(({ id }) => id)).toEqual([made.payment]);
  });

  it.each([
    ['was taken back in part', 'taken_back = 10000'],
    ['was contradicted', 'contradicted = true'],
    ['may be reported twice', `reason = 'DOUBLE'`],
  ])('are not credited if one %s since the operator looked', async (_, change) => {
    const { version } = await shown();
    await scene.console.sql(`UPDATE incoming_payments SET ${change} WHERE public_id = $1`, [made.payment]);
    const credit = (expected_version: string) => decide('credit', { deposit_number: made.deposit, expected_version });
    const { status, body } = await credit(version);
    const changed = { code: 'CHANGED_MEANWHILE', field: 'expected_version' };
    expect([status, body.details, await available()]).toMatchObject([409, [changed], '500.00']);
    expect((await credit((await shown()).version)).status).toBe(200);
    if ((await shown()).is_open_case) expect((await decide('keep')).status).toBe(200);
  });

  it('are credited once, however many operators decide at the same time', async () => {
    const answers = await Promise.all(
      [nok, admin, nok, admin].map((who) => decide('credit', { merchant_id: merchant.id }, who)),
    );
    const [done, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect([done?.status, ...others.map(({ status }) => status)]).toEqual([200, 409, 409, 409]);
    expect(satang(await available())).toBe(50_000n + satang(done?.body.amount ?? '0.00'));
    expect(done?.body.deposit_number).not.toBe(made.deposit);
  });

  it.each([
    ['return', { reference: '202611250915ABC' }, 'returned'],
    ['ignore', {}, 'ignored'],
  ])('are decided by %s, which moves no money', async (what, more, state) => {
    const { status, body } = await decide(what, more);
    expect([status, body.state, body.decision?.reference]).toEqual([
      200,
      state,
      (more as { reference?: string }).reference,
    ]);
    expect(await available()).toBe('500.00');
  });

  it('that became cases are listed, and closed by a debit of what the wallet still has', async () => {
    await decide('credit', { deposit_number: made.deposit });
    await scene.console.sql(
      `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = amount WHERE public_id = $1`,
      [made.payment],
    );
    expect((await payments('which=cases')).data).toMatchObject([{ id: made.payment, is_open_case: true }]);
    const { available_amount: has } = (
      await nok.browser.get<{ available_amount: string }>(`/api/merchants/${merchant.id}/wallet`)
    ).body;
    const wrong = await decide('debit', { expected_available: '1.00' });
    expect([wrong.status, wrong.body.details?.[0]?.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    await nok.browser.post(`/api/merchants/${merchant.id}/debits`, { amount: '600.00', reference: 'taken-out' });
    const { body } = await decide('debit');
    const left = satang(has) - 60_000n;
    expect([satang(body.missing), await available()]).toEqual([satang(body.amount) - left, '0.00']);
    expect((await payments('which=cases')).data).toEqual([]);
    expect((await decide('keep')).status).toBe(409);
  });

  it('are taken back only as far as the channel took them back, and only once', async () => {
    expect((await shown()).to_take_back).toBeNull();
    await decide('credit', { deposit_number: made.deposit });
    const has = satang(await available());
    const takeBack = (amount: number): Promise<unknown> =>
      scene.console.sql(
        `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = $2, decision = NULL, decided_by = NULL,
           decision_reason = NULL, decided_at = NULL WHERE public_id = $1`,
        [made.payment, amount],
      );
    await takeBack(10_000);
    expect(await shown()).toMatchObject({ taken_back_amount: '100.00', to_take_back: '100.00' });
    expect((await decide('debit')).body).toMatchObject({ missing: '0.00', to_take_back: null });
    expect(satang(await available())).toBe(has - 10_000n);
    await takeBack(30_000);
    const { data } = await payments('which=cases');
    expect(data).toMatchObject([{ id: made.payment, taken_back_amount: '300.00', to_take_back: '200.00' }]);
    const stale = await decide('debit', { expected_to_take_back: '100.00' });
    expect([stale.status, stale.body.details]).toMatchObject([
      409,
      [{ code: 'CHANGED_MEANWHILE', field: 'expected_to_take_back' }],
    ]);
    expect((await decide('debit', { expected_to_take_back: '200.00' })).status).toBe(200);
    expect(satang(await available())).toBe(has - 30_000n);
  });

  it('are decided only after code or password', async () => {
    const tun = await scene.console.signedIn('finance');
    await scene.console.sql(`UPDATE operator_sessions SET confirmed_at = NULL WHERE operator_id = $1`, [tun.id]);
    for (const what of ['credit', 'ignore']) {
      const { status, body } = await decide(what, what === 'credit' ? { merchant_id: merchant.id } : {}, tun);
      expect([status, body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    }
    await tun.browser.post('/api/session/confirm', { password: PASSWORD });
    expect((await decide('ignore', {}, tun)).status).toBe(200);
  });

  it('are not credited to two, to nobody, to a sandbox merchant or to an unknown deposit', async () => {
    const sandbox = await scene.stack.merchant('0.00', {}, { sandbox: true });
    const refused = [
      [{}, 400],
      [{ deposit_number: made.deposit, merchant_id: merchant.id }, 400],
      [{ merchant_id: sandbox.id }, 400],
      [{ deposit_number: 'dep_0000000000000000' }, 404],
      [{ merchant_id: 999_999 }, 404],
    ] as const;
    for (const [body, status] of refused) expect([body, (await decide('credit', body)).status]).toEqual([body, status]);
    expect((await decide('keep')).status).toBe(409);
    expect((await decide('return', { reference: ' ' })).status).toBe(400);
    expect([(await shown()).state, await available()]).toEqual(['waiting', '500.00']);
    for (const id of ['pay_0000000000000000000000', '7'])
      expect((await nok.browser.get(`/api/payments/${id}`)).status).toBe(404);
  });
});

describe('deposits', () => {
  const deposits = async (query: string): Promise<Page<DepositBody>> =>
    (await support.browser.get<Page<DepositBody>>(`/api/deposits?${query}`)).body;

  it('are listed newest first, and found by number, reference and merchant', async () => {
    const later = await addDeposit(merchant, made.channel, '2000.00');
    const { data } = await deposits(`merchant=${merchant.id}`);
    expect(data.map(({ deposit_number: number }) => number)).toEqual([later.deposit_number, made.deposit]);
    expectDocumented(data, { items: { $ref: '#/ConsoleDepositDto' } });
    for (const name of [later.deposit_number, later.reference_id])
      expect((await deposits(`q=${name}`)).data).toMatchObject([{ deposit_number: later.deposit_number }]);
    const page = await deposits(`channel=${made.channel}&limit=1`);
    expect((await deposits(`channel=${made.channel}&limit=1&cursor=${page.next_cursor}`)).data).toMatchObject([
      { deposit_number: made.deposit, status: 'pending' },
    ]);
    expect((await deposits(`merchant=${merchant.id}&status=paid`)).data).toEqual([]);
    const before = new Date(Date.now() - 3_600_000).toISOString();
    expect((await deposits(`merchant=${merchant.id}&to=${before}`)).data).toEqual([]);
    expect((await deposits(`merchant=${merchant.id}&from=${before}`)).data).toHaveLength(2);
  });

  it('are found by several statuses, channels and merchants', async () => {
    const before = made;
    const other = merchant;
    merchant = await scene.stack.merchant('500.00');
    made = await waitingPayment({ merchant }, admin);
    await decide('credit', { deposit_number: made.deposit });
    const numbers = async (query: string): Promise<string[]> => {
      const answer = await support.browser.get<Page<DepositBody>>(`/api/deposits?${query}`);
      return answer.body.data.map(({ deposit_number: number }) => number);
    };
    const both = [made.deposit, before.deposit];
    expect(await numbers(`merchant=${other.id},${merchant.id}`)).toEqual(both);
    expect(await numbers(`merchant=${other.id},${merchant.id}&status=paid`)).toEqual([made.deposit]);
    expect(await numbers(`channel=${made.channel},${before.channel}&status=paid,pending`)).toEqual(both);
    const waiting = await payments(`channel=${made.channel},${before.channel}`);
    expect(waiting.data.map(({ id }) => id)).toEqual([made.payment, before.payment]);
    expect((await payments(`merchant=${other.id},${merchant.id}`)).data.map(({ id }) => id)).toEqual([made.payment]);
    const { status, body } = await support.browser.get<ErrorBody>('/api/deposits?status=paid,lost');
    expect([status, body.details]).toMatchObject([400, [{ field: 'status', code: 'INVALID_VALUE' }]]);
  });

  it.each([
    ['from', 'from=monday'],
    ['to', 'to=2026-02-30T00:00:00Z'],
    ['to', 'from=2026-01-15T00:00:00Z&to=2026-01-15T00:00:00Z'],
  ])('are refused with an invalid %s of a period: %s', async (field, query) => {
    const { status, body } = await support.browser.get<ErrorBody>(`/api/deposits?${query}`);
    expect([status, body.details]).toMatchObject([400, [{ field, code: 'INVALID_VALUE' }]]);
  });

  it('show what happened to them', async () => {
    await decide('credit', { deposit_number: made.deposit });
    const { body } = await support.browser.get<DepositBody>(`/api/deposits/${made.deposit}`);
    expect(body).toMatchObject({ status: 'paid', merchant: { id: merchant.id } });
    expect(body.timeline.map(({ event }) => event)).toEqual(['created', 'paid']);
    expectDocumented(body, 'DepositDetailDto');
    expect((await support.browser.get('/api/deposits/dep_0000000000000000')).status).toBe(404);
  });

  it('are found by their own numbers, and not by references of merchants', async () => {
    const request = { amount: '1000.00', channel: made.channel };
    for (const reference_id of [made.deposit, 'dep_theirs'])
      expect((await merchant.client.post('/v1/deposits', { ...request, reference_id })).status).toBe(200);
    const { body } = await support.browser.get<DepositBody>(`/api/deposits/${made.deposit}`);
    expect(body).toMatchObject({ deposit_number: made.deposit });
    expect((await support.browser.get('/api/deposits/dep_theirs')).status).toBe(404);
  });

  it('show the slips that were presented, each with its payment', async () => {
    const deposit = async (): Promise<DepositBody> =>
      (await support.browser.get<DepositBody>(`/api/deposits/${made.deposit}`)).body;
    await presentSlip(scene.console, made.deposit, '004:4711', 'SLIP_UNKNOWN');
    await presentSlip(scene.console, made.deposit, '014:4712');
    await scene.console.sql(`UPDATE incoming_payments SET slip_ref = '014:4712' WHERE public_id = $1`, [made.payment]);
    const body = await deposit();
    expect(body.timeline.map(({ event }) => event)).toEqual(['created', 'slip', 'slip']);
    const unknown = { reference: '004:4711', status: 'refused', code: 'SLIP_UNKNOWN', payment_id: null };
    const known = { reference: '014:4712', payment_id: made.payment };
    expect(body.slips).toMatchObject([unknown, { ...known, status: 'refused', code: 'SLIP_NOT_FOR_THIS_DEPOSIT' }]);
    expectDocumented(body, 'DepositDetailDto');
    await decide('credit', { deposit_number: made.deposit });
    expect((await deposit()).slips).toMatchObject([unknown, { ...known, status: 'booked', code: null }]);
  });
});
