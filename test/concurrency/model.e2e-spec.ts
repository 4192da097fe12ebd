import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { closeWithBalancedBooks, expectBooksToBalance } from '../support/books.js';
import { bought, refused } from '../support/fake-supplier.js';
import { walk } from '../support/pages.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { untilDone, untilServed } from '../support/until-served.js';

const PRICES = [0, 1, 999, 3_500, 12_345];

let stack: TestStack;
/** The SKU of each price, in the order of {@link PRICES}. */
let skus: string[];

beforeAll(async () => {
  stack = await TestStack.start();
  skus = await Promise.all(PRICES.map((price) => stack.product(baht(price))));
  // In each order, the units with an even number fail.
  stack.supplier.script('unlucky', ({ reference }) =>
    Number(reference.split('.')[2]) % 2 === 0 ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
  );
});

afterAll(() => closeWithBalancedBooks(stack));

const baht = (satang: number): string => (satang / 100).toFixed(2);
const satang = (amount: string): number => Number(amount.replace('.', ''));

/** An action on one wallet. */
type Action =
  | {
      kind: 'order';
      reference: number;
      user: 'lucky' | 'unlucky';
      items: { product: number; quantity: number }[];
    }
  | { kind: 'credit' | 'debit'; amount: number };

const order = fc.record({
  kind: fc.constant('order' as const),
  // Few references, so that they are repeated, with the same content or with another.
  reference: fc.integer({ min: 1, max: 8 }),
  user: fc.constantFrom('lucky' as const, 'unlucky' as const),
  items: fc.array(
    fc.record({
      product: fc.integer({ min: 0, max: PRICES.length - 1 }),
      quantity: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const funding = fc.record({
  kind: fc.constantFrom('credit' as const, 'debit' as const),
  amount: fc.integer({ min: 1, max: 30_000 }),
});

const actions = fc.oneof({ weight: 4, arbitrary: order }, { weight: 1, arbitrary: funding });

/** Fixed, so that a failure can be reproduced. Each test has its own: together they would take too long on a slow machine. */
const SEEDS = [20_260_115, 20_260_116, 20_260_117, 20_260_118, 20_260_119, 20_260_120];

const totalOf = (items: { product: number; quantity: number }[]): number =>
  items.reduce((sum, { product, quantity }) => sum + (PRICES[product] ?? 0) * quantity, 0);

/** The amount that an order spends in the end. */
const spentOf = ({ user, items }: Extract<Action, { kind: 'order' }>): number =>
  user === 'lucky'
    ? totalOf(items)
    : totalOf(items.map(({ product, quantity }) => ({ product, quantity: Math.ceil(quantity / 2) })));

const toRequest = (prefix: string, { reference, user, items }: Extract<Action, { kind: 'order' }>): object => ({
  reference_id: `${prefix}-${reference}`,
  user_id: user,
  items: items.map(({ product, quantity }) => ({ sku: skus[product], quantity })),
});

/** @returns whether the action was accepted. */
async function move(merchant: TestMerchant, kind: 'credit' | 'debit', amount: number): Promise<boolean> {
  const movement = {
    merchantId: merchant.id,
    amount: BigInt(amount),
    reference: unique(kind),
    operator: 'test',
  };
  try {
    await untilDone(() => stack.api.get(WalletService)[kind](movement));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFLICT' });
    return false;
  }
}

const allOrders = (merchant: TestMerchant): Promise<OrderBody[]> =>
  walk<OrderBody>(merchant.client, '/v1/orders', { limit: '100' });

const hasEnded = ({ status }: OrderBody): boolean => status === 'completed' || status === 'failed';

async function untilAllEnded(merchant: TestMerchant): Promise<OrderBody[]> {
  const orders = await allOrders(merchant);
  for (const { reference_id } of orders) await stack.orderWith(merchant, reference_id, 'completed', 'failed');
  return allOrders(merchant);
}

/** The price of all bought units, computed from the orders that the merchant sees. */
const boughtAmount = (orders: OrderBody[]): number =>
  orders
    .flatMap(({ items }) => items as unknown as { sku: string; completed_quantity: number }[])
    .reduce((sum, { sku, completed_quantity }) => sum + (PRICES[skus.indexOf(sku)] ?? 0) * completed_quantity, 0);

describe('any sequence of movements', () => {
  it.each(SEEDS)('one after the other, has the answers and balances of the model (%i)', async (seed) => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 5, maxLength: 25 }), async (sequence) => {
        const merchant = await stack.merchant('100.00');
        const placed = new Map<number, string>();
        let available = 10_000;
        for (const action of sequence) {
          if (action.kind !== 'order') {
            const possible = action.kind === 'credit' || action.amount <= available;
            expect(await move(merchant, action.kind, action.amount)).toBe(possible);
            if (possible) available += action.kind === 'credit' ? action.amount : -action.amount;
          } else {
            const content = JSON.stringify([action.user, action.items]);
            const earlier = placed.get(action.reference);
            const total = totalOf(action.items);
            const expected = earlier === undefined ? (total <= available ? 200 : 503) : earlier === content ? 200 : 409;
            const request = toRequest(String(merchant.id), action);
            const answer = await untilServed(() => merchant.client.post<OrderBody>('/v1/orders', request));
            expect(answer.status).toBe(expected);
            if (expected === 200 && earlier === undefined) {
              placed.set(action.reference, content);
              await stack.orderWith(merchant, answer.body.reference_id, 'completed', 'failed');
              available -= spentOf(action);
            }
          }
          expect(await stack.wallet(merchant)).toEqual({ available: baht(available), held: '0.00' });
        }
      }),
      { seed, numRuns: 2, endOnFailure: true },
    );
  });

  it.each(SEEDS)('all at once, always keeps available = credits - debits - held - spent (%i)', async (seed) => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 30, maxLength: 60 }), async (burst) => {
        const merchant = await stack.merchant('300.00');
        let funded = 30_000;
        await Promise.all(
          burst.map(async (action) => {
            if (action.kind === 'order') {
              const answer = await merchant.client.post('/v1/orders', toRequest(String(merchant.id), action));
              expect([200, 409, 503]).toContain(answer.status);
            } else if (await move(merchant, action.kind, action.amount)) {
              funded += action.kind === 'credit' ? action.amount : -action.amount;
            }
          }),
        );
        await expectBooksToBalance(stack);
        const orders = await untilAllEnded(merchant);
        expect(orders.every(hasEnded)).toBe(true);
        expect(await stack.wallet(merchant)).toEqual({
          available: baht(funded - boughtAmount(orders)),
          held: '0.00',
        });
      }),
      { seed, numRuns: 2, endOnFailure: true },
    );
  });

  it('never shows a wallet in the middle of a movement: every reading has the right sum', async () => {
    const merchant = await stack.merchant('500.00');
    const sku = await stack.product('10.00');
    let placing = true;
    const readings = (async (): Promise<number[]> => {
      const sums: number[] = [];
      while (placing) {
        const { available, held } = await stack.wallet(merchant);
        sums.push(satang(available) + satang(held));
      }
      return sums;
    })();
    // A failed order returns its money, so the sum of both balances never changes.
    stack.supplier.script('always-fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const orders = await Promise.all(
      Array.from({ length: 40 }, () => stack.order(merchant, [{ sku }], 'always-fails')),
    );
    for (const { reference_id } of orders) await stack.orderWith(merchant, reference_id, 'failed');
    placing = false;
    expect(new Set(await readings)).toEqual(new Set([50_000]));
  });
});
