import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lineAmounts, sumAmounts } from './pricing.js';

const line = fc
  .record({
    listPrice: fc.bigInt({ min: 0n, max: 10_000_000n }),
    share: fc.integer({ min: 0, max: 100 }),
    quantity: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ listPrice, share, quantity }) => {
    const unitPrice = (listPrice * BigInt(share)) / 100n;
    return { prices: { listPrice, unitPrice }, quantity };
  });

describe('pricing', () => {
  it('charges the merchant’s price, and shows the difference to the list price as the discount', () => {
    expect(lineAmounts({ listPrice: 3500n, unitPrice: 3150n }, 3)).toEqual({
      subtotal: 10500n,
      discount: 1050n,
      total: 9450n,
    });
  });

  it('keeps total = subtotal - discount without negative discounts, for any lines', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 50 }), (lines) => {
        const { subtotal, discount, total } = sumAmounts(lines.map((each) => lineAmounts(each.prices, each.quantity)));
        expect(total).toBe(subtotal - discount);
        expect(discount >= 0n && total >= 0n).toBe(true);
        expect(total).toBe(lines.reduce((sum, { prices, quantity }) => sum + prices.unitPrice * BigInt(quantity), 0n));
      }),
    );
  });

  it('can be split by units without a remainder', () => {
    fc.assert(
      fc.property(line, fc.nat(100), ({ prices, quantity }, some) => {
        const bought = some % (quantity + 1);
        const parts = [bought, quantity - bought].filter((part) => part > 0);
        expect(sumAmounts(parts.map((part) => lineAmounts(prices, part)))).toEqual(lineAmounts(prices, quantity));
      }),
    );
  });
});
