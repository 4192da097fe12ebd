import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { amountsToDeal } from '../../src/deposits/dealing.js';
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

describe('deposits of an amount of which many were dealt before', () => {
  /** Deals so many of the 180 amounts of 1000.00, each an hour after the one before, and frees all but the last `held`. */
  async function dealt(count: number, held: number): Promise<string> {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const { deposit_number: number } = await scene.deposit(channel, shop, '2000.00');
    const amounts = amountsToDeal(100_000n, 2, 3).slice(0, count);
    await scene.stack.sql(
      `INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, status, amount, amount_to_pay,
                             holds_amount, created_at, expires_at, hold_until, source)
       SELECT deposit_number || n, merchant_id, channel_id, reference_id || n, reference || n, 'expired', 100000, given,
              n > $3, created_at - age, expires_at - age, hold_until - age, 'api'
       FROM (SELECT deposit_number, merchant_id, channel_id, reference_id, reference, created_at, expires_at, hold_until
             FROM deposits WHERE deposit_number = $1) d, unnest($2::bigint[]) WITH ORDINALITY AS made (given, n),
            LATERAL (SELECT make_interval(days => 60, hours => -n::int) AS age) ages`,
      [number, amounts, count - held],
    );
    return channel;
  }
  const create = async (channel: string): Promise<bigint> =>
    satang((await scene.deposit(channel, await scene.stack.merchant('0.00'))).amount_to_pay);

  it('get one that was never dealt as long as there is one', async () => {
    const channel = await dealt(178, 0);
    const never = amountsToDeal(100_000n, 2, 3).slice(178);
    expect(new Set([await create(channel), await create(channel)])).toEqual(new Set(never));
  });

  it('get one of the 64 that have been free the longest, and none that is held', async () => {
    const channel = await dealt(180, 100);
    const longest = amountsToDeal(100_000n, 2, 3).slice(0, 64);
    expect(longest).toContain(await create(channel));
    await expect(create(await dealt(180, 180))).rejects.toThrow(/is reserved/);
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
