import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { expectError, expectRefusedField } from '../../support/expectations.js';
import type { Answer, ErrorBody } from '../../support/http.js';
import { untilWaiting, whileLocked } from '../../support/locks.js';
import type { TestMerchant } from '../../support/stack.js';
import { BankAccount, before, closeWithRightBooks, satang, type DepositView } from '../scene.js';
import { SlipsScene, type Deposit, type Transfer } from './slips-scene.js';

let scene: SlipsScene;
let channel: { code: string; account: string };

beforeAll(async () => {
  scene = await SlipsScene.start({ DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0' });
  channel = await scene.channel('unconfirmed_limit=off');
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

/** A merchant with a deposit, and a transfer that pays it. */
async function paying(changes: Partial<Transfer> = {}): Promise<{
  shop: TestMerchant;
  deposit: DepositView;
  transfer: Transfer;
}> {
  const shop = await scene.deposits.stack.merchant('0.00');
  const deposit = await scene.deposits.deposit(channel.code, shop);
  return { shop, deposit, transfer: scene.transfer(deposit, channel.account, changes) };
}

const detailOf = ({ body }: Answer<unknown>): string | undefined => (body as ErrorBody).details?.[0]?.code;

describe('a slip of a deposit’s payment', () => {
  it('credits it at once, and tells the merchant, without a statement', async () => {
    const presentNew = async () => {
      const given = await paying();
      expect(await scene.get(given.shop, given.deposit)).toMatchObject({ slip: null });
      await scene.pay(given.transfer);
      return { ...given, answer: await scene.present(given.shop, given.deposit, given.transfer.payload) };
    };
    // Repeated if the slip service answered a busy machine too late.
    const { shop, deposit, transfer, answer } = await eventually(
      presentNew,
      (each) => each.answer.body.slip?.status !== 'checking',
    );
    const { status, body } = answer;
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'paid',
        paid_amount: deposit.amount_to_pay,
        slip: { status: 'booked', code: null },
        payments: [{ late: false }],
      },
    ]);
    expect(await scene.deposits.available(shop)).toBe(deposit.amount_to_pay);
    // Nothing but the slip: the slip service must neither compare amounts nor decide about duplicates.
    const [asked] = await scene.service.journal(transfer.payload);
    expect(JSON.parse(String(asked?.body))).toEqual({ payload: transfer.payload });
    const events = await shop.client.get<{ data: { event: string; data: object }[] }>('/v1/events');
    const { qr_image: _image, ...shown } = body as Deposit & { qr_image: string };
    expect(events.body.data).toMatchObject([{ event: 'deposit.paid', data: { ...shown, payment: body.payments[0] } }]);
    const [{ id = '' } = {}] = body.payments;
    expect(await scene.deposits.operator.json('payment', 'show', id)).toMatchObject({
      state: 'booked',
      booked_by: 'amount',
      precision: 'second',
      witnesses: [{ kind: 'slip', reference: `014:${transfer.trans_ref}` }],
    });
    expect(await scene.deposits.show(deposit.deposit_number)).toMatchObject({
      timeline: [{ event: 'created' }, { event: 'slip' }, { event: 'paid' }],
    });
  });

  it('credits it although the bank’s clock is 20 seconds behind', async () => {
    const { shop, deposit, transfer } = await paying();
    const date = before(deposit.created_at, 20_000).toISOString();
    await scene.pay({ ...transfer, date });
    expect((await scene.decided(shop, deposit, transfer.payload)).body).toMatchObject({
      paid_amount: deposit.amount_to_pay,
      slip: { status: 'booked' },
    });
  });

  it('presented again, also at once, changes nothing and asks nobody', async () => {
    const { shop, deposit, transfer } = await paying();
    await scene.pay(transfer);
    await Promise.all(Array.from({ length: 8 }, () => scene.present(shop, deposit, transfer.payload)));
    const { body } = await scene.decided(shop, deposit, transfer.payload);
    expect(body).toMatchObject({ status: 'paid', slip: { status: 'booked' }, payments: [{}] });
    expect(await scene.calls(transfer)).toBe(1);
  });

  it('is taken with a checksum in small letters and without its leading zero', async () => {
    const { shop, deposit, transfer } = await paying();
    let short = transfer;
    while (short.payload.at(-4) !== '0') short = scene.transfer(deposit, channel.account);
    await scene.pay(short);
    const payload = short.payload.slice(0, -4) + short.payload.slice(-3).toLowerCase();
    expect((await scene.decided(shop, deposit, payload)).body).toMatchObject({ slip: { status: 'booked' } });
  });

  it('credits a biller’s deposit by its reference, whatever the amount', async () => {
    const biller = await scene.deposits.billerChannel('account=004:0987654321');
    await scene.takeSlips(biller);
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(biller, shop);
    const transfer = scene.transfer(deposit, '0987654321', { amount: '999.00', ref1: deposit.reference });
    await scene.pay(transfer);
    expect((await scene.decided(shop, deposit, transfer.payload)).body).toMatchObject({
      paid_amount: '999.00',
      slip: { status: 'booked' },
    });
  });
});

describe('a slip that pays nothing to the deposit', () => {
  const refusedAs = async (
    code: string,
    { shop, deposit, transfer }: Awaited<ReturnType<typeof paying>>,
  ): Promise<void> => {
    await scene.pay(transfer);
    const { status, body } = await scene.decided(shop, deposit, transfer.payload);
    expect([status, body]).toMatchObject([200, { status: 'pending', slip: { status: 'refused', code } }]);
    expect(await scene.deposits.available(shop)).toBe('0.00');
  };

  it('is to another account with the same last digits', async () => {
    const other = `99999${channel.account.slice(-5)}`.replace(/^9/, '8');
    await refusedAs('SLIP_WRONG_RECEIVER', await paying({ receiver_bank: '002' }));
    await scene.service.sim('readings', { mask: 'middle' });
    await refusedAs('SLIP_WRONG_RECEIVER', await paying({ receiver_account: other }));
    await scene.service.sim('readings', { mask: 'end' });
  });

  it('is older than the deposit, as one from a chat', async () => {
    const given = await paying();
    const date = before(given.deposit.created_at, 60_000).toISOString();
    await refusedAs('SLIP_NOT_FOR_THIS_DEPOSIT', { ...given, transfer: { ...given.transfer, date } });
    const [payment] = await scene.deposits.payments(channel.code, '--waiting');
    expect(payment).toMatchObject({ reason: 'TOO_EARLY' });
    await scene.deposits.operator.json('payment', 'ignore', payment?.id ?? '', '--reason', 'a test');
  });

  it('is another merchant’s, whose deposit it pays', async () => {
    const [owner, other] = [await paying(), await paying()];
    await scene.pay(owner.transfer);
    const { body } = await scene.decided(other.shop, other.deposit, owner.transfer.payload);
    expect(body).toMatchObject({ status: 'pending', slip: { status: 'refused', code: 'SLIP_NOT_FOR_THIS_DEPOSIT' } });
    expect(await scene.deposits.available(other.shop)).toBe('0.00');
    expect(await scene.get(owner.shop, owner.deposit)).toMatchObject({ status: 'paid', slip: null });
    const { body: own } = await scene.decided(owner.shop, owner.deposit, owner.transfer.payload);
    expect(own).toMatchObject({ slip: { status: 'booked' } });
    expect(await scene.calls(owner.transfer)).toBe(1);
  });

  it('is presented for two deposits of two merchants at once', async () => {
    const [owner, other] = [await paying(), await paying()];
    await scene.pay(owner.transfer);
    await Promise.all([owner, other].map(({ shop, deposit }) => scene.decided(shop, deposit, owner.transfer.payload)));
    expect(await scene.calls(owner.transfer)).toBe(1);
    expect(await scene.get(owner.shop, owner.deposit)).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
    expect(await scene.get(other.shop, other.deposit)).toMatchObject({
      status: 'pending',
      slip: { status: 'refused' },
    });
  });
});

describe('a request with a slip is refused', () => {
  it.each([
    ['nothing', ''],
    ['129 characters', '0'.repeat(129)],
    ['letters in a length', '00410006000001010301402AA202611241530XYZ012345102TH9104F4F2'],
    ['a wrong checksum', '0041000600000101030140220202611241530XYZ012345102TH9104F4F3'],
    ['a code to pay', '00020101021229370016A00000067701011101130066812345678530376454071500.375802TH6304D4B9'],
  ])('with %s', async (_, payload) => {
    const { shop, deposit } = await paying();
    expectRefusedField(await scene.present(shop, deposit, payload), 'payload', 'INVALID_SLIP');
    expect(await scene.get(shop, deposit)).toMatchObject({ slip: null });
  });

  it('without a deposit of the merchant, or with other members', async () => {
    const { shop, deposit, transfer } = await paying();
    const other = await scene.deposits.stack.merchant('0.00');
    expectError(await scene.present(other, deposit, transfer.payload), 404, 'NOT_FOUND');
    const { client } = shop;
    const path = `/v1/deposits/${deposit.reference_id}/slip`;
    expectRefusedField(await client.post(path, { payload: 1 }), 'payload', 'INVALID_TYPE');
    expectRefusedField(await client.post(path, {}), 'payload', 'REQUIRED');
    expectRefusedField(
      await client.post(path, { payload: transfer.payload, amount: '1.00' }),
      'amount',
      'UNKNOWN_MEMBER',
    );
  });

  it('where no slip service is set', async () => {
    const code = await scene.deposits.channel();
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(code, shop);
    const refused = await scene.present(shop, deposit, scene.transfer(deposit, '').payload);
    expectError(refused, 409, 'CONFLICT', /takes no slips/);
    expect(detailOf(refused)).toBe('SLIPS_NOT_TAKEN');
  });

  it('after three different slips of a deposit, or five of a merchant in a minute', async () => {
    const { shop, deposit } = await paying();
    const payloads = Array.from({ length: 4 }, () => scene.transfer(deposit, '').payload);
    const answers: Answer<Deposit>[] = [];
    for (const payload of payloads) answers.push(await scene.present(shop, deposit, payload));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.body).toMatchObject({ message: 'A deposit takes at most 3 slips: please wait for its payment' });
    expect((await scene.present(shop, deposit, payloads[0] ?? '')).status).toBe(200);
    const another = await scene.deposits.deposit(channel.code, shop);
    // On a slow machine, a minute may have passed.
    await scene.deposits.stack.sql('UPDATE slip_checks SET created_at = now()');
    const more = await Promise.all(
      Array.from({ length: 3 }, () => scene.present(shop, another, scene.transfer(another, '').payload)),
    );
    const refused = more.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual([429]);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    await scene.pass();
    expect((await scene.present(shop, another, scene.transfer(another, '').payload)).status).toBe(200);
  });
});

describe('an ignored slip of a biller', () => {
  it('keeps no later line waiting that names another deposit', async () => {
    const account = '5700000001';
    const biller = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(biller, 'unconfirmed_limit=1.00');
    const [shop, another] = [await scene.deposits.stack.merchant('0.00'), await scene.deposits.stack.merchant('0.00')];
    const deposit = await scene.deposits.deposit(biller, shop);
    const { deposit_number: number, reference } = await scene.deposits.deposit(biller, another);
    const anHourAgo = before(new Date(), 3_600_000).toISOString();
    const transfer = scene.transfer(deposit, account, { ref1: deposit.reference, date: anHourAgo });
    await scene.pay(transfer);
    await scene.decided(shop, deposit, transfer.payload);
    const [{ id } = { id: '' }] = await scene.deposits.payments(biller, '--waiting');
    await scene.deposits.operator.json('payment', 'ignore', id, '--reason', 'the bank does not know it');
    const line = { at: new Date(), amount: satang(transfer.amount), reference };
    expect(await scene.deposits.import(biller, new BankAccount().add(line).statement())).toMatchObject({ booked: 1 });
    expect(await scene.deposits.show(number)).toMatchObject({ status: 'paid', paid_amount: transfer.amount });
  });
});

describe('a slip that shows the digits of two channels’ accounts', () => {
  /** A channel whose account ends with the same digits. */
  const twinOf = async ({ account }: { account: string }): Promise<string> => {
    const twin = await scene.deposits.channel(`account=004:77777${account.slice(-5)}`);
    await scene.takeSlips(twin);
    return twin;
  };

  it('is refused by the other channel once it is booked, also if both record it at once', async () => {
    const twin = await twinOf(channel);
    const paid = await paying();
    await scene.pay(paid.transfer);
    const { body } = await scene.decided(paid.shop, paid.deposit, paid.transfer.payload);
    expect(body).toMatchObject({ slip: { status: 'booked' } });
    const other = await scene.deposits.deposit(twin, paid.shop);
    const again = await scene.decided(paid.shop, other, paid.transfer.payload);
    const refused = { status: 'refused', code: 'SLIP_WRONG_RECEIVER' };
    expect(again.body).toMatchObject({ status: 'pending', slip: refused });

    const { shop, deposit, transfer } = await paying();
    const beside = await scene.deposits.deposit(twin, shop);
    await scene.pay(transfer);
    const { stack } = scene.deposits;
    const telling: Promise<unknown>[] = [];
    // Both have begun before either can write a payment.
    await whileLocked(stack, 'LOCK TABLE incoming_payments IN EXCLUSIVE MODE', async () => {
      for (const each of [deposit, beside]) {
        telling.push(scene.decided(shop, each, transfer.payload));
        await untilWaiting(stack, telling.length);
      }
    });
    await Promise.all(telling);
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
    expect(await scene.get(shop, beside)).toMatchObject({ status: 'pending', slip: refused });
    expect(await scene.deposits.payments(twin)).toEqual([]);
  });

  it('waits at its own channel if it was recorded at the other one and not booked, until its line comes', async () => {
    const right = await scene.channel();
    const twin = await twinOf(right);
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(right.code, shop);
    const other = await scene.deposits.deposit(twin, shop, '5000.00');
    const transfer = scene.transfer(deposit, right.account);
    await scene.pay(transfer);
    await scene.decided(shop, other, transfer.payload);
    expect(await scene.deposits.payments(twin)).toMatchObject([{ state: 'waiting', reason: 'UNMATCHED' }]);
    await scene.decided(shop, deposit, transfer.payload);
    const [waiting, ...more] = await scene.deposits.payments(right.code);
    expect([waiting, more]).toMatchObject([{ state: 'waiting', reason: 'DOUBLE' }, []]);
    expect(waiting?.suggestions).toMatchObject([{ deposit_number: deposit.deposit_number }]);
    const line = { at: new Date(transfer.date), amount: satang(transfer.amount) };
    await scene.deposits.import(right.code, new BankAccount().add(line).statement());
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
    expect(await scene.deposits.available(shop)).toBe(transfer.amount);
  });
});

describe('a channel that takes slips', () => {
  it('needs the account that slips must name, and a key', async () => {
    const set = ['channel', 'set', '--code', 'slips', '--adapter', 'promptpay', '--option', 'promptpay_id=0812345670'];
    const service = ['--option', 'slip_service=easyslip'];
    const account = ['--option', 'account=004:0123450000'];
    await scene.deposits.operator.refusedAll([
      [[...set, ...service, '--credential', 'slip_key=k'], /account/],
      [[...set, ...service, ...account], /slip_key/],
      [[...set, ...account, '--option', 'unconfirmed_limit=1e3'], /unconfirmed_limit/],
    ]);
    expect(JSON.stringify(await scene.deposits.operator.json('channel', 'show', channel.code))).not.toContain(
      'easyslip-test',
    );
  });
});
