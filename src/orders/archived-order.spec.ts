import { describe, expect, it } from '@jest/globals';
import { readArchivedOrder } from './archived-order.js';

const NAMES = { order_id: 7n, merchant_id: 1, reference_id: 'r-1', order_number: 'ord_1' };

/** The row of an archived order in the first version. The service never rewrites such rows. */
const FIRST = [
  'player',
  null,
  null,
  { note: 'x' },
  'failed',
  7000,
  0,
  7000,
  'OUT_OF_STOCK',
  'No stock',
  '2026-01-02T03:04:05.678+00:00',
  '2026-01-02T03:04:06+00:00',
  false,
  [[1, 'ml86', 2, 3500, 3500, 'top_up', 'failed', 0, 2, 'OUT_OF_STOCK', 'No stock']],
];

describe('the stored row of an archived order', () => {
  it('of the first version is read', () => {
    const { order, items } = readArchivedOrder({ ...NAMES, answer: FIRST, answer_version: 1 });
    expect(order).toMatchObject({
      id: 7n,
      order_number: 'ord_1',
      user_id: 'player',
      metadata: { note: 'x' },
      status: 'failed',
      total_amount: 7000n,
      failure_code: 'OUT_OF_STOCK',
      sandbox: false,
      created_at: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(items).toEqual([
      {
        order_id: 7n,
        position: 1,
        sku: 'ml86',
        quantity: 2,
        list_price: 3500n,
        unit_price: 3500n,
        kind: 'top_up',
        status: 'failed',
        completed_quantity: 0,
        failed_quantity: 2,
        failure_code: 'OUT_OF_STOCK',
        failure_message: 'No stock',
      },
    ]);
  });

  it('of an unknown later version is refused', () => {
    expect(() => readArchivedOrder({ ...NAMES, answer: FIRST, answer_version: 99 })).toThrow('known version');
  });
});
