import type { OrderDto } from '../orders/order.dto.js';

/** The `data` of a `webhook.test` event: a completed order, in the form in which GET /v1/orders/{reference_id} returns an order. */
export const SAMPLE_ORDER = {
  order_number: 'ord_0000000000000000',
  reference_id: 'test-order',
  user_id: '123456789',
  server_id: '2001',
  character_id: null,
  status: 'completed',
  subtotal_amount: '90.00',
  discount_amount: '0.00',
  total_amount: '90.00',
  source_type: 'api',
  created_by: { id: 0, name: 'API' },
  created_at: '2026-01-15T08:30:00.123Z',
  updated_at: '2026-01-15T08:30:02.456Z',
  metadata: {},
  failure_code: null,
  failure_message: null,
  items: [
    {
      sku: 'TEST-SKU',
      quantity: 2,
      completed_quantity: 2,
      failed_quantity: 0,
      status: 'completed',
      subtotal_amount: '90.00',
      discount_amount: '0.00',
      total_amount: '90.00',
      failure_code: null,
      failure_message: null,
    },
  ],
} satisfies OrderDto;
