import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { OrderSettlementService } from '../../src/orders/order-settlement.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
/** Without the service's limits of time. */
let client: pg.Client;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let completed: OrderBody;
let failed: OrderBody;
/** It stays open during the test, because the supplier accepts nothing. */
let open: OrderBody;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant('1000.00');
  const sku = await stack.product('35.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  stack.supplier.script('waits', () => ({ status: 429, headers: { 'retry-after': '600' } }));
  await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url('/hook') });
  const items = [{ sku, quantity: 2 }];
  const placed = [
    await stack.order(merchant, items),
    await stack.order(merchant, items, 'fails'),
    await stack.order(merchant, items, 'waits'),
  ] as const;
  completed = await stack.orderWith(merchant, placed[0].reference_id, 'completed');
  failed = await stack.orderWith(merchant, placed[1].reference_id, 'failed');
  open = await stack.orderWith(merchant, placed[2].reference_id, 'processing');
  await eventually(
    () => receiver.received,
    ({ length }) => length === 2,
  );
  // They would wait for the tests' locks, and the tests for theirs.
  await stack.stopWorkers();
  client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await closeWithBalancedBooks(stack, receiver);
});

/** Expects that the database refuses a statement, and names this rule in the error. */
async function expectRefusal(rule: string, statement: string): Promise<void> {
  const text = statement
    .replaceAll('$completed', `(SELECT id FROM orders WHERE order_number = '${completed.order_number}')`)
    .replaceAll('$failed', `(SELECT id FROM orders WHERE order_number = '${failed.order_number}')`)
    .replaceAll('$open', `(SELECT id FROM orders WHERE order_number = '${open.order_number}')`)
    .replaceAll('$merchant', String(merchant.id));
  try {
    await client.query('BEGIN');
    const outcome = await client.query(text).then(
      () => 'it was done',
      (error: { constraint?: string; message: string }) => error.constraint ?? error.message,
    );
    expect(outcome).toBe(rule);
  } finally {
    await client.query('ROLLBACK');
  }
}

const transfer = (kind: string, debit: string, credit: string, amount: number, more: string): string =>
  `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, reference)
   VALUES ($merchant, '${kind}', '${debit}', '${credit}', ${amount}, 0, ${more})`;

const rules: Record<string, [rule: string, statement: string][]> = {
  'An order that ended never changes again': [
    ['tg_orders_ended', `UPDATE orders SET status = 'processing', open_items = 1 WHERE id = $completed`],
    ['tg_orders_ended', `UPDATE orders SET status = 'failed', failure_code = 'OUT_OF_STOCK' WHERE id = $completed`],
    ['tg_orders_ended', `UPDATE orders SET failure_message = 'another' WHERE id = $failed`],
    ['tg_orders_ended', `UPDATE orders SET user_id = 'player-2' WHERE id = $completed`],
    ['tg_orders_ended', `DELETE FROM orders WHERE id = $completed`],
    ['tg_order_items_ended', `UPDATE order_items SET sku = 'another' WHERE order_id = $completed`],
    ['tg_order_items_ended', `UPDATE order_items SET completed_quantity = 1 WHERE order_id = $failed`],
    ['tg_order_items_ended', `DELETE FROM order_items WHERE order_id = $failed`],
  ],
  'A unit is settled once': [
    ['tg_order_units_ended', `UPDATE order_units SET state = 'failed', failure_code = 'X' WHERE order_id = $completed`],
    [
      'tg_order_units_ended',
      `UPDATE order_units SET state = 'succeeded', failure_code = NULL WHERE order_id = $failed`,
    ],
    [
      'tg_order_units_ended',
      `UPDATE order_units SET state = 'queued', next_action_at = now() WHERE order_id = $completed`,
    ],
    ['tg_order_units_ended', `UPDATE order_units SET supplier_reference = 'another' WHERE order_id = $completed`],
    ['tg_order_units_ended', `DELETE FROM order_units WHERE order_id = $failed`],
  ],
  'What an order costs never changes': [
    ['tg_orders_amounts', `UPDATE orders SET total_amount = 0, discount_amount = subtotal_amount WHERE id = $open`],
    ['tg_order_items_prices', `UPDATE order_items SET unit_price = 0 WHERE order_id = $open`],
    ['tg_order_items_prices', `UPDATE order_items SET quantity = 1 WHERE order_id = $open`],
  ],
  'Movements of money are never changed, only added': [
    ['tg_transfers_immutable', `UPDATE transfers SET amount = amount + 1`],
    ['tg_transfers_immutable', `UPDATE transfers SET note = 'another' WHERE order_id = $completed`],
    ['tg_transfers_immutable', `DELETE FROM transfers WHERE order_id = $failed`],
    // Without CASCADE, the foreign keys to the table would refuse the statement first.
    ['tg_transfers_immutable', `TRUNCATE transfers CASCADE`],
    ['tg_transfers_immutable', `TRUNCATE orders CASCADE`],
    ['tg_wallets_kept', `DELETE FROM wallets WHERE merchant_id = $merchant`],
    ['tg_wallets_kept', `TRUNCATE wallets CASCADE`],
    ['tg_operator_actions_immutable', `UPDATE operator_actions SET operator = 'another'`],
    ['tg_operator_actions_immutable', `DELETE FROM operator_actions`],
    ['tg_operator_actions_immutable', `TRUNCATE operator_actions CASCADE`],
  ],
  'Money is moved at most once, between the accounts that it can move between': [
    ['uq_transfers_order_kind', transfer('order_hold', 'available', 'held', 1, `$completed, NULL`)],
    ['uq_transfers_order_kind', transfer('order_spend', 'held', 'spent', 1, `$completed, NULL`)],
    ['uq_transfers_order_kind', transfer('order_refund', 'held', 'available', 1, `$failed, NULL`)],
    ['ck_transfers_accounts', transfer('credit', 'spent', 'available', 1, `NULL, 'r'`)],
    ['ck_transfers_accounts', transfer('order_spend', 'available', 'spent', 1, `$open, NULL`)],
    ['ck_transfers_amount_positive', transfer('credit', 'funding', 'available', 0, `NULL, 'r'`)],
    ['ck_transfers_amount_positive', transfer('order_refund', 'held', 'available', -1, `$open, NULL`)],
    ['ck_transfers_source', transfer('credit', 'funding', 'available', 1, `NULL, NULL`)],
    ['ck_transfers_source', transfer('order_refund', 'held', 'available', 1, `NULL, NULL`)],
    [
      'uq_transfers_reference',
      `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference)
       SELECT merchant_id, kind, debit_account, credit_account, amount, available_after, reference FROM transfers
       WHERE merchant_id = $merchant AND kind = 'credit'`,
    ],
  ],
  'A balance is never negative': [
    [
      'ck_wallets_available_not_negative',
      `UPDATE wallets SET available = available - 100001 WHERE merchant_id = $merchant`,
    ],
    ['ck_wallets_held_not_negative', `UPDATE wallets SET held = held - 7001 WHERE merchant_id = $merchant`],
    [
      'ck_transfers_available_after',
      `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference)
       VALUES ($merchant, 'debit', 'available', 'funding', 1, -1, 'r')`,
    ],
  ],
  'An order ends with one event, delivered once to each webhook': [
    [
      'uq_events_order',
      `INSERT INTO events (public_id, merchant_id, kind, order_id, body, created_at)
       VALUES ('evt_another', $merchant, 'order.failed', $completed, '{}', now())`,
    ],
    [
      'uq_webhook_deliveries_event_webhook',
      `INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at, updated_at)
       SELECT webhook_id, event_id, now(), now(), now() FROM webhook_deliveries`,
    ],
  ],
  'A reference names one order of a merchant': [
    [
      'uq_orders_merchant_reference',
      `INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, subtotal_amount,
                           discount_amount, total_amount, open_items, created_at, updated_at)
       SELECT merchant_id, 'ord_another', reference_id, content_hash, user_id, 0, 0, 0, 1, now(), now()
       FROM orders WHERE id = $completed`,
    ],
  ],
  'What orders name by its number stays, under its number': [
    ['tg_merchants_kept', `DELETE FROM merchants WHERE id = $merchant`],
    ['tg_merchants_kept', `TRUNCATE merchants CASCADE`],
    ['tg_merchants_numbered', `UPDATE merchants SET id = DEFAULT WHERE id = $merchant`],
    ['tg_webhooks_kept', `DELETE FROM webhooks WHERE merchant_id = $merchant`],
    ['tg_webhooks_kept', `TRUNCATE webhooks CASCADE`],
    ['tg_webhooks_numbered', `UPDATE webhooks SET id = DEFAULT WHERE merchant_id = $merchant`],
    ['tg_suppliers_used', `DELETE FROM supplier_offers; DELETE FROM suppliers`],
    ['tg_suppliers_kept', `TRUNCATE suppliers CASCADE`],
    ['tg_suppliers_numbered', `UPDATE suppliers SET id = DEFAULT WHERE code = 'fake'`],
  ],
  'States and counts fit each other': [
    ['ck_order_units_call', `UPDATE order_units SET call_process = 'w', call_duration_ms = 1 WHERE order_id = $open`],
    ['ck_webhook_deliveries_first', `UPDATE webhook_deliveries SET first_duration_ms = NULL`],
    ['ck_orders_open', `UPDATE orders SET status = 'completed' WHERE id = $open`],
    ['ck_orders_open', `UPDATE orders SET open_items = 0 WHERE id = $open`],
    ['ck_orders_failure', `UPDATE orders SET status = 'failed', open_items = 0 WHERE id = $open`],
    ['ck_orders_failure', `UPDATE orders SET failure_code = 'OUT_OF_STOCK' WHERE id = $open`],
    ['ck_order_items_split', `UPDATE order_items SET failed_quantity = 3 WHERE order_id = $open`],
    ['ck_order_items_end', `UPDATE order_items SET status = 'completed' WHERE order_id = $open`],
    ['ck_order_items_end', `UPDATE order_items SET completed_quantity = 2 WHERE order_id = $open`],
    ['ck_order_units_failure', `UPDATE order_units SET state = 'failed', next_action_at = NULL WHERE order_id = $open`],
    ['ck_order_units_due', `UPDATE order_units SET state = 'succeeded' WHERE order_id = $open`],
    ['ck_order_units_due', `UPDATE order_units SET next_action_at = NULL WHERE order_id = $open`],
  ],
};

const onOneLine = ([rule, statement]: [string, string]): [string, string] => [rule, statement.replace(/\s+/g, ' ')];

describe.each(Object.entries(rules))('3 %s: the database refuses', (_rule, statements) => {
  it.each(statements.map(onOneLine))('%s: %s', async (rule, statement) => {
    await expectRefusal(rule, statement);
  });
});

describe('3 A unit that was settled is not settled again', () => {
  it.each(['completed', 'failed'])('in a %s order: a second outcome changes nothing', async (ending) => {
    const ended = ending === 'completed' ? completed : failed;
    const [row] = await stack.sql<{ id: bigint; claim: number }>(
      `SELECT o.id, u.claim FROM orders o JOIN order_units u ON u.order_id = o.id AND u.unit = 1
       WHERE order_number = $1`,
      [ended.order_number],
    );
    const { id: orderId, claim } = row ?? { id: 0n, claim: 0 };
    const command = {
      key: { orderId, item: 1, unit: 1 },
      merchantId: merchant.id,
      by: { kind: 'call', attempt: 1, claim } as const,
      calls: [],
    };
    const settlement = stack.api.get(OrderSettlementService);
    const wallet = await stack.wallet(merchant);
    const outcomes = [
      { kind: 'succeeded', supplierReference: 'S-2' },
      { kind: 'failed', code: 'OUT_OF_STOCK', message: 'late' },
    ] as const;
    const said = await Promise.all(outcomes.map((outcome) => settlement.settle({ ...command, outcome })));
    // Another purchase or another end opens a discrepancy; the same end does not.
    expect(said).toEqual(ending === 'completed' ? ['reversal', 'reversal'] : ['reversal', 'settled_before']);
    expect(await stack.orderWith(merchant, ended.reference_id, ending)).toEqual(ended);
    expect(await stack.wallet(merchant)).toEqual(wallet);
    expect(receiver.received).toHaveLength(2);
  });
});
