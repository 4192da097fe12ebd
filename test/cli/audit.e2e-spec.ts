import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refused } from '../support/fake-supplier.js';
import { checksThatSee } from '../support/planted.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
}

let stack: TestStack;
let merchant: TestMerchant;
let commandLine: CommandLine;
let orders: { open: OrderBody; completed: OrderBody; partial: OrderBody };

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant('1000.00');
  const sku = await stack.product('35.00');
  stack.supplier.script('unlucky', ({ reference }) =>
    reference.endsWith('.2')
      ? refused(reference, 'OUT_OF_STOCK')
      : { status: 200, body: { reference, status: 'succeeded', supplier_reference: 'S' } },
  );
  const completed = await stack.order(merchant, [{ sku, quantity: 2 }]);
  const partial = await stack.order(merchant, [{ sku, quantity: 2 }], 'unlucky');
  await stack.orderWith(merchant, completed.reference_id, 'completed');
  await stack.orderWith(merchant, partial.reference_id, 'failed');
  await stack.stopWorkers();
  orders = { completed, partial, open: await stack.order(merchant, [{ sku, quantity: 3 }]) };
});

afterAll(() => stack.close());

const of = ({ order_number }: OrderBody): string => `(SELECT id FROM orders WHERE order_number = '${order_number}')`;

describe('topup audit', () => {
  it('finds the books in order, and shows their numbers', async () => {
    const { ok, checks } = await commandLine.json<Audit>('audit');
    expect({ ok, failed: checks.filter((check) => !check.ok) }).toEqual({ ok: true, failed: [] });
    for (const check of checks) expect(Object.keys(check)).toEqual(['name', 'ok', 'detail']);
    const details = Object.fromEntries(checks.map(({ name, detail }) => [name, detail]));
    expect(details).toMatchObject({
      merchant_wallets: '1 merchant, each with a wallet',
      available_balances: '1 wallet, available 790.00 = credits 1000.00 - debits 0.00 - holds 245.00 + refunds 35.00',
      held_balances: '1 wallet, held 105.00 = holds 245.00 - spends 105.00 - refunds 35.00',
      held_for_open_orders: '1 open order of 105.00 in total, held 105.00',
      order_events: '2 ended orders, 2 events of their ends',
      unit_attempts: '7 units, 4 attempts to buy one',
      unit_states: '7 units: 3 succeeded, 1 failed, 0 in review, 3 under way',
      failure_codes: '1 failed order, 1 partially completed',
    });
    const { stdout } = await commandLine.run('audit');
    expect(stdout).toMatch(/│ held_for_open_orders +│ ok +│ 1 open order of 105\.00[^]+The books are in order\.\n$/);
  });

  it.each<[string, () => string[], string[]]>([
    ['a merchant without a wallet', () => [`INSERT INTO merchants (name) VALUES ('x')`], ['merchant_wallets']],
    [
      'money that came from nowhere',
      () => [`UPDATE wallets SET available = available + 1`],
      ['available_balances', 'statements'],
    ],
    [
      'held money that no order holds',
      () => [`UPDATE wallets SET held = held + 1`],
      ['held_balances', 'held_for_open_orders'],
    ],
    [
      'a balance below zero',
      () => [
        `ALTER TABLE wallets DROP CONSTRAINT ck_wallets_available_not_negative`,
        `UPDATE wallets SET available = -1`,
      ],
      ['available_balances', 'balances_not_negative', 'statements'],
    ],
    [
      'a movement between the wrong accounts',
      () => [
        `ALTER TABLE transfers DROP CONSTRAINT ck_transfers_accounts`,
        `UPDATE transfers SET debit_account = 'held' WHERE kind = 'credit'`,
      ],
      ['double_entry'],
    ],
    [
      'a statement line that does not follow from the one before',
      () => [`UPDATE transfers SET available_after = available_after + 1 WHERE kind = 'order_refund'`],
      ['statements'],
    ],
    [
      'a refund that was lost',
      () => [`DELETE FROM transfers WHERE kind = 'order_refund'`],
      ['available_balances', 'held_balances', 'statements', 'ended_orders_hold_nothing', 'refunds'],
    ],
    [
      'an open order that was paid for already',
      () => [
        `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id)
         SELECT merchant_id, 'order_spend', 'held', 'spent', 10500, 79000, id FROM orders WHERE id = ${of(orders.open)}`,
      ],
      ['held_balances', 'open_orders_moved_nothing'],
    ],
    [
      'a hold of less than the order',
      () => [
        `UPDATE transfers SET amount = 10400, available_after = 79100
         WHERE kind = 'order_hold' AND order_id = ${of(orders.open)}`,
        `UPDATE wallets SET available = 79100, held = 10400`,
      ],
      ['held_for_open_orders', 'order_holds'],
    ],
    [
      'an order whose total is not that of its items',
      () => [
        `UPDATE orders SET subtotal_amount = 10400, total_amount = 10400 WHERE id = ${of(orders.open)}`,
        `UPDATE transfers SET amount = 10400, available_after = 79100 WHERE kind = 'order_hold' AND order_id = ${of(orders.open)}`,
        `UPDATE wallets SET available = 79100, held = 10400`,
      ],
      ['order_amounts'],
    ],
    ['an event that was lost', () => [`DELETE FROM events WHERE order_id = ${of(orders.completed)}`], ['order_events']],
    [
      'an event of the wrong kind',
      () => [`UPDATE events SET kind = 'order.failed' WHERE order_id = ${of(orders.completed)}`],
      ['order_events'],
    ],
    [
      'a unit too few',
      () => [`DELETE FROM order_units WHERE unit = 3 AND order_id = ${of(orders.open)}`],
      ['units_of_items'],
    ],
    [
      'a unit that succeeded uncounted',
      () => [
        `UPDATE order_units SET state = 'succeeded', next_action_at = NULL, sends = 1
         WHERE unit = 1 AND order_id = ${of(orders.open)}`,
      ],
      ['item_quantities', 'item_statuses'],
    ],
    [
      'a unit that was bought without having been sent',
      () => [`UPDATE order_units SET sends = 0 WHERE unit = 1 AND order_id = ${of(orders.completed)}`],
      ['unit_states'],
    ],
    [
      'a unit that failed without having been sent, and that nobody cancelled',
      () => [`UPDATE order_units SET sends = 0 WHERE state = 'failed'`],
      ['unit_states'],
    ],
    [
      'a unit whose attempts are not on record',
      () => [`DELETE FROM unit_attempts WHERE unit = 1 AND order_id = ${of(orders.completed)}`],
      ['unit_attempts'],
    ],
    [
      'a unit that counts an attempt too many',
      () => [`UPDATE order_units SET attempt = 2 WHERE unit = 1 AND order_id = ${of(orders.completed)}`],
      ['unit_attempts'],
    ],
    [
      'a unit whose latest attempt is given up',
      () => [
        `UPDATE unit_attempts SET ended_as = 'failed', ended_at = now() WHERE unit = 1 AND order_id = ${of(orders.completed)}`,
      ],
      ['unit_attempts'],
    ],
    [
      'a failed unit that was paid for',
      () => [
        `UPDATE order_units SET state = 'succeeded', failure_code = NULL WHERE state = 'failed'`,
        `UPDATE order_items SET status = 'completed', completed_quantity = 2, failed_quantity = 0, failure_code = NULL
         WHERE status = 'failed'`,
      ],
      ['spends', 'refunds', 'order_statuses'],
    ],
    [
      'an order that counts its open items wrong',
      () => [`UPDATE orders SET open_items = 2 WHERE id = ${of(orders.open)}`],
      ['open_items'],
    ],
    [
      'an order that failed for another reason than its units',
      () => [`UPDATE orders SET failure_code = 'OUT_OF_STOCK' WHERE id = ${of(orders.partial)}`],
      ['failure_codes'],
    ],
    [
      'a delivery to another merchant',
      () => [
        `INSERT INTO merchants (name) VALUES ('x'); INSERT INTO wallets (merchant_id) SELECT max(id) FROM merchants`,
        `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint)
         SELECT max(id), 'http://x', '{order.failed}', '', '' FROM merchants`,
        `INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
         SELECT (SELECT max(id) FROM webhooks), id, kind, now(), now(), now() FROM events ORDER BY id LIMIT 1`,
      ],
      ['deliveries'],
    ],
    [
      'a delivery without its event',
      () => [
        'ALTER TABLE webhook_deliveries DROP CONSTRAINT fk_webhook_deliveries_event',
        `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint)
         SELECT max(id), 'http://x', '{order.failed}', '', '' FROM merchants`,
        `INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
         SELECT max(id), 0, 'order.failed', now(), now(), now() FROM webhooks`,
      ],
      ['deliveries'],
    ],
    [
      'a delivery to no webhook',
      () => [
        `INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
         SELECT 999999, id, kind, now(), now(), now() FROM events ORDER BY id LIMIT 1`,
      ],
      ['deliveries'],
    ],
    [
      'an item without its supplier',
      () => [`UPDATE order_items SET supplier_id = 999999 WHERE order_id = ${of(orders.open)}`],
      ['item_suppliers'],
    ],
    [
      'a unit without its supplier',
      () => [`UPDATE order_units SET supplier_id = 999999 WHERE order_id = ${of(orders.open)}`],
      ['unit_suppliers'],
    ],
    [
      'an attempt without its supplier',
      () => [`UPDATE unit_attempts SET supplier_id = 999999 WHERE order_id = ${of(orders.completed)}`],
      ['unit_suppliers'],
    ],
  ])('finds %s', async (_what, plant, failing) => {
    expect(await checksThatSee(stack, plant(), {}, { full: true })).toEqual([failing, failing]);
  });

  it('exits with 1 if a check fails, and names the check, with an example', async () => {
    await stack.sql('UPDATE wallets SET held = held - 500');
    const { code, stdout, stderr } = await commandLine.run('--json', 'audit');
    const { ok, checks } = JSON.parse(stdout) as Audit;
    expect({ code, stderr, ok }).toEqual({ code: 1, stderr: '', ok: false });
    expect(checks.filter((check) => !check.ok)).toEqual([
      {
        name: 'held_balances',
        ok: false,
        detail:
          '1 wallet, held 100.00 = holds 245.00 - spends 105.00 - refunds 35.00; 1 wrong, such as ' +
          `merchant ${merchant.id} has 100.00 and should have 105.00`,
      },
      {
        name: 'held_for_open_orders',
        ok: false,
        detail:
          '1 open order of 105.00 in total, held 100.00; 1 wrong, such as ' +
          `merchant ${merchant.id} has 100.00 and should have 105.00`,
      },
    ]);
    const table = await commandLine.run('audit');
    expect(table).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('2 of 31 checks FAILED.') as unknown as string,
    });
  });
});
