import { expect, it } from '@jest/globals';
import { toOrderDto } from './order.mapper.js';
import type { ItemRow, OrderRow } from './order.rows.js';

const MOMENT = new Date('2026-01-31T12:00:00Z');

const order: OrderRow = {
  id: 1n,
  merchant_id: 1,
  order_number: 'ORD-1',
  reference_id: 'sale-1',
  user_id: 'player-1',
  server_id: null,
  character_id: null,
  metadata: null,
  status: 'processing',
  subtotal_amount: 7000n,
  discount_amount: 0n,
  total_amount: 7000n,
  failure_code: null,
  failure_message: null,
  created_at: MOMENT,
  updated_at: MOMENT,
  sandbox: false,
};

const item = (position: number, status: ItemRow['status']): ItemRow => ({
  order_id: 1n,
  position,
  sku: 'CARD',
  quantity: 1,
  list_price: 3500n,
  unit_price: 3500n,
  kind: 'code',
  status,
  completed_quantity: status === 'completed' ? 1 : 0,
  failed_quantity: 0,
  failure_code: null,
  failure_message: null,
});

it('shows no codes of an item that it shows as open, even if the item ended before its codes were read', () => {
  const code = { unit: 1, serial: null, code: 'CODE', expires_on: null };
  const delivered = new Map([1, 2].map((position) => [position, [code]]));
  const { items } = toOrderDto(order, [item(1, 'completed'), item(2, 'processing')], delivered);
  expect(items.map(({ status, deliveries }) => [status, deliveries])).toEqual([
    ['completed', [code]],
    ['processing', undefined],
  ]);
});
