import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { untilWaiting, whileLocked, withoutSweeper } from '../support/locks.js';
import type { TestMerchant } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { BankAccount, DepositsScene, paying, type DepositView } from './scene.js';

interface DepositEvent {
  id: string;
  event: string;
  data: DepositView & { payment?: { id: string; amount: string } };
}

let scene: DepositsScene;
let receiver: WebhookReceiver;

beforeAll(async () => {
  scene = await DepositsScene.start();
  receiver = await new WebhookReceiver().listen();
});

afterAll(async () => {
  await scene.close();
  await receiver.close();
});

const eventsOf = async ({ client }: TestMerchant): Promise<DepositEvent[]> =>
  (await client.get<{ data: DepositEvent[] }>('/v1/events?limit=100')).body.data;

const kindsOf = async (shop: TestMerchant): Promise<string[]> => (await eventsOf(shop)).map(({ event }) => event);

/** What operators see of a deposit, in its order. */
async function timelineOf(deposit?: Pick<DepositView, 'deposit_number'>): Promise<string[]> {
  const shown = await scene.show(deposit?.deposit_number ?? '');
  return (shown as DepositView & { timeline: { event: string }[] }).timeline.map(({ event }) => event);
}

/** Ends the offer of a deposit, for which no test can wait. */
const timeOver = ({ deposit_number }: DepositView): Promise<unknown> =>
  scene.stack.sql(
    `UPDATE deposits SET expires_at = now(), created_at = now() - interval '15 minutes' WHERE deposit_number = $1`,
    [deposit_number],
  );

const withStatus = (deposit: DepositView, status: string): Promise<DepositView> =>
  eventually(
    () => scene.show(deposit.deposit_number),
    (shown) => shown.status === status,
  );

describe('a paid deposit', () => {
  it('is reported once, in the same bytes to webhooks that ask for it and in the list of events', async () => {
    const [channel, shop] = [await scene.channel(), await scene.stack.merchant('0.00')];
    const events = ['deposit.paid', 'deposit.expired'];
    await shop.client.post('/v1/merchant-webhooks', { url: receiver.url('/paid'), events });
    await shop.client.post('/v1/merchant-webhooks', { url: receiver.url('/orders') });
    const deposit = await scene.deposit(channel, shop);
    const account = new BankAccount().add(paying(deposit));
    await Promise.all([scene.import(channel, account.statement()), scene.import(channel, account.statement())]);
    await scene.import(channel, account.add({ at: new Date(), amount: 100n }).statement());

    const [received] = await receiver.arrived('/paid');
    const [event, ...others] = await eventsOf(shop);
    expect(others).toEqual([]);
    const list = await fetchServed(`${scene.stack.url}/v1/events`, { headers: { 'x-api-key': shop.key } });
    expect(await list.text()).toBe(`{"data":[${received?.body}],"next_cursor":null}`);
    const { deposit_number, amount_to_pay } = deposit;
    expect(event).toMatchObject({
      event: 'deposit.paid',
      data: { deposit_number, channel, status: 'paid', paid_amount: amount_to_pay, slip: null, metadata: {} },
    });
    expect(event?.data.payments).toEqual([event?.data.payment]);
    const [credit] = await scene.credits(shop);
    expect(credit?.reference_id).toBe(`deposit:${event?.data.payment?.id}`);
    for (const hidden of ['merchant_id', 'reference', 'hold_until', 'qr_image']) {
      expect(event?.data).not.toHaveProperty(hidden);
    }
    expect(receiver.at('/orders')).toEqual([]);
  });

  it('is reported once for each of its payments, each time with all that is booked', async () => {
    const [channel, shop] = [await scene.billerChannel(), await scene.stack.merchant('0.00')];
    const deposit = await scene.deposit(channel, shop);
    const part = (amount: bigint) => paying(deposit, { amount, reference: deposit.reference });
    const account = new BankAccount().add(part(40_000n));
    await scene.import(channel, account.statement());
    await scene.import(channel, account.add(part(50_000n), part(10_001n)).statement());
    const reported = (await eventsOf(shop)).map(({ data }) => [
      data.payment?.amount,
      data.paid_amount,
      data.payments.map(({ amount }) => amount),
    ]);
    expect(reported).toEqual([
      ['400.00', '400.00', ['400.00']],
      ['500.00', '1000.01', ['400.00', '500.00', '100.01']],
      ['100.01', '1000.01', ['400.00', '500.00', '100.01']],
    ]);
  });

  it('is reported as well when an operator credits a payment without a deposit', async () => {
    const [channel, shop] = [await scene.channel(), await scene.stack.merchant('0.00')];
    await scene.import(channel, new BankAccount().add({ at: new Date(), amount: 77_700n }).statement());
    const [waiting] = await scene.payments(channel, '--waiting');
    const to = ['--merchant', String(shop.id), '--reason', 'asked by phone'];
    await scene.operator.json('payment', 'credit', waiting?.id ?? '', ...to);
    const [paid, ...others] = await eventsOf(shop);
    expect([paid, others]).toMatchObject([
      { event: 'deposit.paid', data: { source: 'operator', reference_id: waiting?.id, payment: { id: waiting?.id } } },
      [],
    ]);
    expect(await timelineOf(paid?.data)).toEqual(['created', 'paid']);
  });
});

describe('what a worker books or ends', () => {
  it('is delivered at once, without the sweeper', async () => {
    const shop = await scene.stack.sandboxMerchant('0.00');
    const events = ['deposit.paid', 'deposit.expired'];
    await shop.client.post('/v1/merchant-webhooks', { url: receiver.url('/woken'), events });
    await withoutSweeper(scene.stack, async () => {
      const create = (request: object) => shop.client.post('/v1/deposits', request);
      await create({ reference_id: 'paid', amount: '1000.00' });
      await receiver.arrived('/woken', 1);
      await create({ reference_id: 'expires', amount: '1001.00', expires_in: 5 });
      await receiver.arrived('/woken', 2);
    });
  });
});

describe('a deposit that nobody pays in time', () => {
  it('is reported as expired, and as paid when the payment arrives late', async () => {
    const [channel, shop] = [await scene.channel(), await scene.stack.merchant('0.00')];
    const deposit = await scene.deposit(channel, shop);
    await timeOver(deposit);
    await withStatus(deposit, 'expired');
    expect(await eventsOf(shop)).toMatchObject([
      { event: 'deposit.expired', data: { status: 'expired', payments: [] } },
    ]);
    // A deposit that expired under an earlier version has no time of its expiry.
    const setExpiry = (at: string): Promise<unknown> =>
      scene.stack.sql(`UPDATE deposits SET expired_at = ${at} WHERE deposit_number = $1`, [deposit.deposit_number]);
    await setExpiry('NULL');
    expect(await timelineOf(deposit)).toEqual(['created', 'expired']);
    await setExpiry('now()');
    const late = paying(deposit, { at: new Date(Date.now() + 60_000) });
    await scene.import(channel, new BankAccount().add(late).statement());
    expect(await kindsOf(shop)).toEqual(['deposit.expired', 'deposit.paid']);
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ payments: [{ late: true }] });
    expect(await timelineOf(deposit)).toEqual(['created', 'expired', 'paid']);
  });

  it('waits for the lock of the wallet, so that events come in the order of their commits', async () => {
    const [channel, shop] = [await scene.channel(), await scene.stack.merchant('0.00')];
    const deposit = await scene.deposit(channel, shop);
    const wallet = `SELECT FROM wallets WHERE merchant_id = ${shop.id} FOR NO KEY UPDATE`;
    await whileLocked(scene.stack, wallet, async () => {
      await timeOver(deposit);
      await untilWaiting(scene.stack, 1, '%FROM wallets%');
      expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'pending' });
      expect(await kindsOf(shop)).toEqual([]);
    });
    await withStatus(deposit, 'expired');
    expect(await kindsOf(shop)).toEqual(['deposit.expired']);
  });

  it('keeps no other merchant’s wallet locked meanwhile', async () => {
    const channel = await scene.channel();
    const [other, shop] = [await scene.stack.merchant('0.00'), await scene.stack.merchant('0.00')];
    const numbers: string[] = [];
    for (const each of [other, shop]) numbers.push((await scene.deposit(channel, each)).deposit_number);
    await whileLocked(scene.stack, `SELECT FROM wallets WHERE merchant_id = ${shop.id} FOR NO KEY UPDATE`, async () => {
      // Both end at once, the other merchant's first.
      await scene.stack.sql(
        `UPDATE deposits SET created_at = now() - interval '1 hour',
                             expires_at = now() - interval '1 s' * (CASE merchant_id WHEN $2 THEN 2 ELSE 1 END)
         WHERE deposit_number = ANY($1)`,
        [numbers, other.id],
      );
      await untilWaiting(scene.stack, 1, '%FROM wallets%');
      const lock = `SELECT merchant_id FROM wallets WHERE merchant_id = $1 FOR NO KEY UPDATE NOWAIT`;
      expect(await scene.stack.sql(lock, [other.id])).toHaveLength(1);
    });
    for (const number of numbers)
      await eventually(
        () => scene.show(number),
        ({ status }) => status === 'expired',
      );
  });

  it('is paid once and never expires after that, when both happen at the same moment', async () => {
    const [channel, shop] = [await scene.channel('spread=5'), await scene.stack.merchant('0.00')];
    const deposits: DepositView[] = [];
    for (let n = 0; n < 12; n++) deposits.push(await scene.deposit(channel, shop, '2000.00'));
    const account = new BankAccount().add(...deposits.map((each) => paying(each)));
    const over = deposits.map(({ deposit_number }) => deposit_number);
    const expire = `UPDATE deposits SET expires_at = now() WHERE deposit_number = ANY($1)`;
    await Promise.all([scene.import(channel, account.statement()), scene.stack.sql(expire, [over])]);
    for (const deposit of deposits) expect(await withStatus(deposit, 'paid')).toMatchObject({ payments: [{}] });
    const events = await eventsOf(shop);
    for (const { deposit_number } of deposits) {
      const reported = events.filter(({ data }) => data.deposit_number === deposit_number).map(({ event }) => event);
      expect([['deposit.paid'], ['deposit.expired', 'deposit.paid']]).toContainEqual(reported);
    }
    expect(await scene.wrong()).toEqual([]);
  });
});
