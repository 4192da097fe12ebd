import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DepositsScene } from './scene.js';

let scene: DepositsScene;

beforeAll(async () => {
  scene = await DepositsScene.start();
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
