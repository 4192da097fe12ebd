import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { TestMerchant } from '../support/stack.js';
import { BankAccount, DepositsScene, paying, satang } from './scene.js';

const HOUR_MS = 3_600_000;

let scene: DepositsScene;
let merchant: TestMerchant;

beforeAll(async () => {
  scene = await DepositsScene.start();
  merchant = await scene.stack.merchant('0.00');
});

afterAll(() => scene.close());

describe('deposits of an amount that was dealt in full before', () => {
  it('get amounts whose last deposits were paid, whatever operators credited without a deposit', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const first = await scene.deposit(channel, shop, '100.00');
    // All amounts of 100.00 were dealt: one was paid; the payers of the others may still be late.
    await scene.stack.sql(
      `INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, status, amount, amount_to_pay, paid_amount,
                             paid_at, holds_amount, created_at, expires_at, hold_until, source)
       SELECT deposit_number || n || kind, merchant_id, channel_id, reference_id || n || kind, reference || n || kind, status,
              CASE kind WHEN 'a' THEN amount ELSE n END, n, CASE status WHEN 'paid' THEN n ELSE 0 END,
              CASE status WHEN 'paid' THEN created_at END, false,
              created_at - age, expires_at - age, hold_until - age, CASE kind WHEN 'a' THEN 'api' ELSE 'operator' END
       FROM (SELECT deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, created_at, expires_at, hold_until
             FROM deposits WHERE deposit_number = $1) d,
            generate_series(10001, 10499) n,
            LATERAL (SELECT 'a' AS kind, CASE n WHEN $2 THEN 'paid' ELSE 'expired' END AS status, interval '3 days' AS age
                     UNION ALL SELECT 'b', 'paid', interval '2 days' WHERE n <> $2) made
       WHERE n % 11 = 3 AND n % 100 <> 0 AND n <> amount_to_pay`,
      [first.deposit_number, first.amount_to_pay === '100.02' ? 10_013 : 10_002],
    );
    const next = await scene.deposit(channel, shop, '100.00');
    expect(next.amount_to_pay).toBe(first.amount_to_pay === '100.02' ? '100.13' : '100.02');
  });
});

describe('deposits that are recognized by their amounts', () => {
  it('keep their amount for a day after they expired, and then free it', async () => {
    const channel = await scene.channel();
    const [held, over] = [await scene.deposit(channel, merchant), await scene.deposit(channel, merchant)];
    expect(Date.parse(held.hold_until) - Date.parse(held.expires_at)).toBe(24 * HOUR_MS);
    const holding = (): Promise<string[]> => scene.holding(held, over);
    expect(await holding()).toHaveLength(2);
    // The first is freed last, if at all: the amounts that are free the longest come first.
    await scene.age(held, 24 * HOUR_MS);
    await scene.age(over, 25 * HOUR_MS);
    expect(await eventually(holding, ({ length }) => length < 2)).toEqual([held.deposit_number]);
    await scene.withStatus(held, 'expired');
    expect(await holding()).toEqual([held.deposit_number]);
  });

  it('keep their amount although they are paid or cancelled', async () => {
    const channel = await scene.channel();
    const [paid, cancelled] = [await scene.deposit(channel, merchant), await scene.deposit(channel, merchant)];
    await scene.import(channel, new BankAccount().add(paying(paid)).statement());
    await merchant.client.post(`/v1/deposits/${cancelled.reference_id}/cancel`);
    await scene.withStatus(paid, 'paid');
    await scene.withStatus(cancelled, 'cancelled');
    expect(await scene.holding(paid, cancelled)).toEqual([paid.deposit_number, cancelled.deposit_number]);
  });

  it('get amounts of the class that the channel has, such as after a restore', async () => {
    const channel = await scene.channel('class=5');
    const classOf = async (): Promise<bigint> => satang((await scene.deposit(channel, merchant)).amount_to_pay) % 11n;
    expect([await classOf(), await classOf()]).toEqual([5n, 5n]);
    await scene.operator.json('channel', 'set', '--code', channel, '--adapter', 'promptpay', '--option', 'class=7');
    expect([await classOf(), await classOf()]).toEqual([7n, 7n]);
  });
});
