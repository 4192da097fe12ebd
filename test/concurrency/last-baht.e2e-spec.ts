import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import type { Wallet } from '../../src/wallet/wallet.entity.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectPlaced } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import { Client, type Answer } from '../support/http.js';
import { walk } from '../support/pages.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';

let stack: TestStack;
let otherApi: INestApplication;

beforeAll(async () => {
  stack = await TestStack.start();
  otherApi = await stack.startApi();
  await otherApi.get(SchemaService).whenReady();
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

afterAll(() => closeWithBalancedBooks(stack, otherApi));

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

const satang = (amount: string): number => Number(amount.replace('.', ''));

interface Attempt {
  body: { reference_id: string; user_id: string; items: { sku: string; quantity: number }[] };
  answer: Answer<OrderBody>;
}

const order = (sku: string, quantity = 1, userId = 'player-1'): Attempt['body'] => ({
  reference_id: unique('order'),
  user_id: userId,
  items: [{ sku, quantity }],
});

/** Sends all of them at once, through both API processes. */
function race(merchant: TestMerchant, bodies: Attempt['body'][]): Promise<Attempt[]> {
  const clients = [merchant.client, new Client(stack.urlOf(otherApi), merchant.key)];
  return Promise.all(
    bodies.map(async (body, index) => {
      const client = clients[index % clients.length] as Client;
      return { body, answer: await client.post<OrderBody>('/v1/orders', body) };
    }),
  );
}

const accepted = (attempts: Attempt[]): Attempt[] => attempts.filter(({ answer }) => answer.status === 200);

/** Expects that every order that was not accepted was refused for the balance. */
function refusedForBalance(attempts: Attempt[]): Attempt[] {
  const rest = attempts.filter(({ answer }) => answer.status !== 200);
  for (const { answer } of rest) {
    const { details } = expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(details?.[0]?.code).toBe('INSUFFICIENT_BALANCE');
  }
  return rest;
}

/** Moves money as an operator, under a reference, so that a repetition does not move it twice. */
function fund(merchant: TestMerchant, kind: 'credit' | 'debit'): Promise<Wallet> {
  const funding = { merchantId: merchant.id, amount: 1_000n, reference: unique(kind), operator: 'test' };
  return untilDone(() => stack.api.get(WalletService)[kind](funding));
}

/** Expects that no line of the statement has a negative balance. */
async function expectNeverNegative(merchant: TestMerchant): Promise<void> {
  const entries = await walk<{ available_amount_after: string }>(merchant.client, '/v1/wallet/entries', {
    limit: '100',
  });
  for (const entry of entries) expect(entry.available_amount_after).toMatch(/^\d/);
}

describe('hundreds of orders racing for the last baht', () => {
  it('exactly as many are accepted as the balance pays for', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('1000.00');
    const attempts = await race(
      merchant,
      times(300, () => order(sku)),
    );
    expect(accepted(attempts)).toHaveLength(100);
    expect(refusedForBalance(attempts)).toHaveLength(200);
    expect((await stack.wallet(merchant)).available).toBe('0.00');
    await expectNeverNegative(merchant);
  });

  it('the last satang is not spent twice', async () => {
    const sku = await stack.product('0.01');
    const merchant = await stack.merchant('0.07');
    const attempts = await race(
      merchant,
      times(100, () => order(sku)),
    );
    expect(accepted(attempts)).toHaveLength(7);
    expect(refusedForBalance(attempts)).toHaveLength(93);
    expect((await stack.wallet(merchant)).available).toBe('0.00');
  });

  it('a rest that is too small for an order stays in the wallet', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('59.99');
    const attempts = await race(
      merchant,
      times(60, () => order(sku)),
    );
    expect(accepted(attempts)).toHaveLength(5);
    expect((await stack.wallet(merchant)).available).toBe('9.99');
  });

  it('the refused orders are all accepted after a credit, under the same references', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('200.00');
    const bodies = times(60, () => order(sku));
    const left = refusedForBalance(await race(merchant, bodies)).map(({ body }) => body);
    expect(left).toHaveLength(40);
    await stack.credit(merchant.id, '400.00');
    const again = await race(merchant, left);
    expect(accepted(again)).toHaveLength(40);
    for (const { answer } of again) expectPlaced(answer);
    expect((await stack.wallet(merchant)).available).toBe('0.00');
  });

  it('orders of different prices are paid in full or not at all', async () => {
    const skus = await Promise.all(['0.37', '3.50', '11.11', '29.99'].map((price) => stack.product(price)));
    const merchant = await stack.merchant('500.00');
    const bodies = times(200, (index) => order(skus[index % 4] ?? '', 1 + (index % 3)));
    const attempts = await race(merchant, bodies);
    refusedForBalance(attempts);
    const paid = accepted(attempts).reduce((sum, { answer }) => sum + satang(answer.body.total_amount), 0);
    expect(satang((await stack.wallet(merchant)).available)).toBe(50_000 - paid);
    const cheapest = attempts.filter(({ answer, body }) => answer.status !== 200 && body.items[0]?.sku === skus[0]);
    if (cheapest.length > 0) expect(satang((await stack.wallet(merchant)).available)).toBeLessThan(37 * 3);
    await expectNeverNegative(merchant);
  });

  it('merchants race for their own money only', async () => {
    const sku = await stack.product('10.00');
    const merchants = await Promise.all(times(10, (index) => stack.merchant(`${index}0.00`)));
    const races = await Promise.all(
      merchants.map((merchant) =>
        race(
          merchant,
          times(12, () => order(sku)),
        ),
      ),
    );
    expect(races.map((attempts) => accepted(attempts).length)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe('orders racing with other movements of the same wallet', () => {
  it('credits that arrive meanwhile can be spent, and no more', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('100.00');
    const credits = times(20, () => fund(merchant, 'credit'));
    const attempts = await race(
      merchant,
      times(100, () => order(sku)),
    );
    await Promise.all(credits);
    refusedForBalance(attempts);
    const paid = accepted(attempts).length * 1_000;
    expect(satang((await stack.wallet(merchant)).available)).toBe(30_000 - paid);
    expect(accepted(attempts).length).toBeGreaterThanOrEqual(10);
    await expectNeverNegative(merchant);
  });

  it('debits and orders never take the same baht', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('500.00');
    const debit = async (): Promise<number> => {
      const taken = await fund(merchant, 'debit').catch((error: { code: string }) => error.code);
      if (typeof taken === 'string') expect(taken).toBe('CONFLICT');
      return typeof taken === 'string' ? 0 : 1;
    };
    const debits = times(50, debit);
    const attempts = await race(
      merchant,
      times(50, () => order(sku)),
    );
    const debited = (await Promise.all(debits)).reduce((sum, each) => sum + each, 0);
    refusedForBalance(attempts);
    expect(accepted(attempts).length + debited).toBe(50);
    expect((await stack.wallet(merchant)).available).toBe('0.00');
  });

  it('refunds of failed orders can be spent again, once', async () => {
    const sku = await stack.product('10.00');
    const merchant = await stack.merchant('100.00');
    let wanted = times(40, (index) => order(sku, 1, index % 2 === 0 ? 'fails' : 'player-1'));
    let completed = 0;
    // In each round at least one order is accepted. A failed order returns its money, and a completed one spends it.
    while (wanted.length > 0 && (completed < 10 || satang((await stack.wallet(merchant)).held) > 0)) {
      const attempts = await race(merchant, wanted);
      wanted = refusedForBalance(attempts).map(({ body }) => body);
      for (const { body } of accepted(attempts)) {
        const ended = await stack.orderWith(merchant, body.reference_id, 'completed', 'failed');
        completed += ended.status === 'completed' ? 1 : 0;
      }
    }
    expect(completed).toBe(10);
    expect(await stack.wallet(merchant)).toEqual({ available: '0.00', held: '0.00' });
    await expectNeverNegative(merchant);
  });
});
