import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { orderOutcome } from './order-outcome.js';
import type { ItemRow } from './order.rows.js';

const item = (completed: number, failed: number, unitPrice: bigint, code: ItemRow['failure_code'] = null): ItemRow => ({
  order_id: 1n,
  position: 1,
  sku: 'A',
  quantity: completed + failed,
  list_price: unitPrice,
  unit_price: unitPrice,
  kind: 'topup',
  status: failed === 0 ? 'completed' : 'failed',
  completed_quantity: completed,
  failed_quantity: failed,
  failure_code: failed === 0 ? null : (code ?? 'OUT_OF_STOCK'),
  failure_message: failed === 0 ? null : 'why',
});

describe('how an order ends', () => {
  it('is completed only if every unit succeeded', () => {
    expect(orderOutcome([item(2, 0, 3500n), item(1, 0, 1000n)])).toEqual({
      status: 'completed',
      failureCode: null,
      failureMessage: null,
      spent: 8000n,
      refunded: 0n,
    });
  });

  it('has a message with the counts and the refund of a partly completed order', () => {
    expect(orderOutcome([item(1, 1, 3500n), item(0, 1, 1000n)])).toMatchObject({
      status: 'failed',
      failureCode: 'PARTIALLY_COMPLETED',
      failureMessage: '1 of 3 succeeded, 2 failed; 45.00 THB returned',
    });
  });

  it('has the failure of the first failed item if nothing succeeded', () => {
    const outcome = orderOutcome([item(0, 1, 100n, 'INVALID_PLAYER'), item(0, 2, 100n, 'OUT_OF_STOCK')]);
    expect(outcome).toMatchObject({
      failureCode: 'INVALID_PLAYER',
      failureMessage: 'why',
      spent: 0n,
      refunded: 300n,
    });
  });

  it('spends or refunds every satang of the total, once', () => {
    const anItem = fc
      .record({ completed: fc.nat(50), failed: fc.nat(50), price: fc.bigInt({ min: 0n, max: 1_000_000n }) })
      .filter(({ completed, failed }) => completed + failed > 0)
      .map(({ completed, failed, price }) => item(completed, failed, price));
    fc.assert(
      fc.property(fc.array(anItem, { minLength: 1, maxLength: 10 }), (items) => {
        const { spent, refunded } = orderOutcome(items);
        expect(spent + refunded).toBe(items.reduce((sum, i) => sum + i.unit_price * BigInt(i.quantity), 0n));
      }),
    );
  });
});
