import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { baht, closeWithRightBooks, DepositsScene, satang, type DepositView } from './scene.js';

type Deposit = DepositView & { channel: string; paid_at: string };

interface DepositEvent {
  event: string;
  data: Deposit & { payment?: { id: string; amount: string; late: boolean } };
}

let scene: DepositsScene;
let shop: TestMerchant;

beforeAll(async () => {
  scene = await DepositsScene.start({ DEPOSIT_CREATE_PER_MINUTE: '0', DEPOSIT_MAX_OPEN: '0' });
  shop = await scene.stack.sandboxMerchant('0.00');
});

afterAll(() => closeWithRightBooks(scene));

const create = (amount: string, members: object = {}, reference = unique('deposit')): Promise<Answer<Deposit>> =>
  shop.client.post<Deposit>('/v1/deposits', { reference_id: reference, amount, ...members });

const get = async (reference: string): Promise<Deposit> =>
  (await shop.client.get<Deposit>(`/v1/deposits/${reference}`)).body;

const eventsOf = async ({ deposit_number }: Deposit): Promise<DepositEvent[]> => {
  const { body } = await shop.client.get<{ data: DepositEvent[] }>('/v1/events?limit=100');
  return body.data.filter(({ data }) => data.deposit_number === deposit_number);
};

/** The events of a deposit, once there are so many. */
const events = (deposit: Deposit, count: number): Promise<DepositEvent[]> =>
  eventually(
    () => eventsOf(deposit),
    ({ length }) => length >= count,
  );

/** What the tests of this file pay in all. */
let credited = 0n;

describe('a deposit of a sandbox merchant', () => {
  it('is paid after two seconds, exactly what a shop shows that shows the right sum', async () => {
    const { body } = await create('1000.00');
    expect(body).toMatchObject({ status: 'pending', channel: 'sandbox', amount: '1000.00' });
    expect(body.amount_to_pay).toMatch(/^10[01]\d\.\d\d$/);
    expect(body.amount_to_pay).not.toMatch(/\.00$/);
    expect(body.qr_payload).toContain('02130000000000000');
    const [paid] = await events(body, 1);
    expect(paid).toMatchObject({
      event: 'deposit.paid',
      data: { paid_amount: body.amount_to_pay, channel: 'sandbox' },
    });
    expect(new Date(paid?.data.paid_at ?? 0).getTime() - new Date(body.created_at).getTime()).toBe(2_000);
    credited += satang(body.amount_to_pay);
  });

  it('of 1001.00 is never paid, and expires after as few as five seconds', async () => {
    const { body } = await create('1001.00', { expires_in: 5 });
    const reported = await events(body, 1);
    expect(reported.map(({ event }) => event)).toEqual(['deposit.expired']);
    expect(await get(body.reference_id)).toMatchObject({ status: 'expired', paid_amount: '0.00' });
    expectRefusedField(await create('1001.00', { expires_in: 4 }), 'expires_in', 'OUT_OF_RANGE');
  });

  it('of 1002.00 expires, and is paid late', async () => {
    const { body } = await create('1002.00');
    const change = (members: string): Promise<unknown> =>
      scene.stack.sql(`UPDATE deposits SET ${members} WHERE deposit_number = $1`, [body.deposit_number]);
    // The payment comes some seconds after the end, however slow the worker is that reports the end.
    await change(`created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`);
    await events(body, 1);
    await change('next_inquiry_at = now()');
    const reported = await events(body, 2);
    expect(reported.map(({ event }) => event)).toEqual(['deposit.expired', 'deposit.paid']);
    expect(reported[1]?.data.payment?.late).toBe(true);
    credited += satang(body.amount_to_pay);
  });

  it.each([
    ['1003.00', -100n, 1],
    ['1004.00', 100n, 1],
    ['1005.00', 0n, 2],
    ['1006.00', 0n, 1],
  ])('of %s is credited with what arrives', async (amount, difference, times) => {
    const { body } = await create(amount);
    const reported = await events(body, times);
    const each = satang(body.amount_to_pay) + difference;
    expect(reported.map(({ event, data }) => [event, data.payment?.amount])).toEqual(
      Array.from({ length: times }, () => ['deposit.paid', baht(each)]),
    );
    expect(new Set(reported.map(({ data }) => data.payment?.id)).size).toBe(times);
    credited += each * BigInt(times);
    expect(await get(body.reference_id)).toMatchObject({ status: 'paid', paid_amount: baht(each * BigInt(times)) });
    const { payments } = await get(body.reference_id);
    const { booked_at, paid_at } = payments[0] as unknown as Record<'booked_at' | 'paid_at', string>;
    const waited = new Date(booked_at).getTime() - new Date(paid_at).getTime();
    if (amount === '1006.00') expect(waited).toBeGreaterThanOrEqual(8_000);
  });

  it('of 1007.00 gets its QR code from the second request', async () => {
    const refused = await create('1007.00', {}, 'unavailable');
    expectError(refused, 503, 'SERVICE_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((refused.body as unknown as ErrorBody).details?.[0]?.code).toBe('CHANNEL_UNAVAILABLE');
    expect(await get('unavailable')).toMatchObject({ status: 'pending', qr_payload: null, qr_image: null });
    const { status, headers, body } = await create('1007.00', {}, 'unavailable');
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(body.qr_payload).toContain('02130000000000000');
    await events(body, 1);
    credited += satang(body.amount_to_pay);
  });

  it('of 1008.00 is reported three times, first before the answer, and paid once', async () => {
    const { body } = await create('1008.00');
    expect(body).toMatchObject({ status: 'paid', paid_amount: body.amount_to_pay });
    const isOver = `SELECT FROM deposits WHERE deposit_number = $1 AND next_inquiry_at IS NULL`;
    await eventually(
      () => scene.stack.sql(isOver, [body.deposit_number]),
      ({ length }) => length === 1,
    );
    expect(await eventsOf(body)).toHaveLength(1);
    credited += satang(body.amount_to_pay);
  });

  it('waits while its wallet can hold no more, and is credited once there is room', async () => {
    const full = await scene.stack.sandboxMerchant('999999999500.00');
    const request = { reference_id: 'full', amount: '1000.00' };
    const { body } = await full.client.post<Deposit>('/v1/deposits', request);
    // The next try is a minute away, for which no test can wait.
    const tryNow = `UPDATE deposits SET next_inquiry_at = now()
                    WHERE deposit_number = $1 AND next_inquiry_at > now() + interval '30 seconds' RETURNING id`;
    const waits = (): Promise<unknown[]> =>
      scene.operator.json('payment', 'list', '--channel', 'sandbox', '--waiting', '--amount', body.amount_to_pay);
    expect(await eventually(waits, ({ length }) => length === 1)).toMatchObject([{ reason: 'WALLET_FULL' }]);
    const funding = { merchantId: full.id, amount: satang('999999999500.00'), reference: 'out', operator: 'test' };
    await scene.stack.api.get(WalletService).debit(funding);
    expect(await scene.stack.sql(tryNow, [body.deposit_number])).toHaveLength(1);
    const paid = await eventually(
      async () => (await full.client.get<Deposit>('/v1/deposits/full')).body,
      ({ status }) => status === 'paid',
    );
    expect(paid.paid_amount).toBe(body.amount_to_pay);
    expect(await waits()).toEqual([]);
  });

  it('credits its wallet with all of that and no more', async () => {
    expect(await scene.available(shop)).toBe(baht(credited));
  });
});

describe('the sandbox’s channel', () => {
  it('is the only one for sandbox merchants, and for no others', async () => {
    const live = await scene.billerChannel();
    expectRefusedField(await create('1000.00', { channel: live }), 'channel', 'INVALID_VALUE');
    expect((await create('1001.00', { channel: 'sandbox' })).status).toBe(200);
    expectRefusedField(await create('0.50', { channel: 'sandbox' }), 'amount', 'OUT_OF_RANGE');
    const other = await scene.stack.merchant('0.00');
    const request = { reference_id: 'live', amount: '1000.00', channel: 'sandbox' };
    expectRefusedField(await other.client.post('/v1/deposits', request), 'channel', 'INVALID_VALUE');
  });

  it('is hidden from operators, who can neither set nor remove it', async () => {
    expect(JSON.stringify(await scene.operator.json('channel', 'list'))).not.toContain('sandbox');
    await scene.operator.refusedAll([
      [['channel', 'show', 'sandbox'], /there is no channel sandbox/],
      [['channel', 'remove', 'sandbox'], /there is no channel sandbox/],
      [['channel', 'set', '--code', 'sandbox', '--adapter', 'promptpay'], /is built in/],
      [['channel', 'set', '--code', 'play', '--adapter', 'sandbox'], /must be one of promptpay/],
      [['statement', 'import', scene.file('x'), '--channel', 'sandbox'], /there is no channel sandbox/],
    ]);
  });

  it('never pays a wallet of real money, whatever an operator decides', async () => {
    const { body } = await create('1006.00');
    const live = await scene.stack.merchant('0.00');
    const waiting = await eventually(
      () =>
        scene.operator.json<{ id: string; state: string }[]>('payment', 'list', '--channel', 'sandbox', '--waiting'),
      ({ length }) => length === 1,
    );
    const [{ id = '' } = {}] = waiting;
    expect(
      await scene.operator.refused('payment', 'credit', id, '--merchant', String(live.id), '--reason', 'r'),
    ).toMatch(/is of the sandbox/);
    expect(await scene.operator.json('payment', 'list', '--waiting')).toEqual([]);
    await events(body, 1);
    expect(await scene.available(live)).toBe('0.00');
  });

  it('pays no deposit of another channel, even if that channel is to be asked about it now', async () => {
    const live = await scene.billerChannel();
    const merchant = await scene.stack.merchant('0.00');
    const { body: asked } = await merchant.client.post<Deposit>('/v1/deposits', {
      reference_id: unique('deposit'),
      amount: '1000.00',
      channel: live,
    });
    await scene.stack.sql(`UPDATE deposits SET next_inquiry_at = now() - interval '1 hour' WHERE deposit_number = $1`, [
      asked.deposit_number,
    ]);
    // A later deposit of the sandbox is paid, so the task has run.
    const { body } = await create('1000.00');
    await events(body, 1);
    expect(await scene.available(merchant)).toBe('0.00');
  });

  it('counts in no metric and no report', async () => {
    const port = await openManagementPort(scene.stack.api, 0);
    const live = await scene.channel();
    const scrape = await eventually(
      () => Scrape.of(port),
      (scraped) => scraped.value('topup_incoming_waiting', { channel: live }) === 0,
    );
    for (const metric of ['topup_incoming_waiting', 'topup_deposits_total', 'topup_incoming_payments_total'])
      expect([...scrape.valuesOf(metric, 'channel')]).not.toContain('sandbox');
    const day = new Date().toISOString().slice(0, 10);
    const report = await scene.operator.json('report', 'deposits', '--from', '2026-01-01', '--to', day);
    expect(JSON.stringify(report)).not.toContain('sandbox');
  });
});
