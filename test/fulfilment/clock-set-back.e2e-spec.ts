import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { holding } from '../support/locks.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

/** Statements that make rows look as if PostgreSQL had written them while its clock was ahead. */
const writtenAhead = (by: string): Record<string, string> => ({
  units: `UPDATE order_units SET updated_at = updated_at + interval '${by}',
            next_action_at = next_action_at + interval '${by}', first_sent_at = first_sent_at + interval '${by}',
            last_sent_at = last_sent_at + interval '${by}', unknown_since = unknown_since + interval '${by}'
          WHERE next_action_at IS NOT NULL`,
  deliveries: `UPDATE webhook_deliveries SET updated_at = updated_at + interval '${by}',
                 attempt_started_at = attempt_started_at + interval '${by}', due_at = due_at + interval '${by}',
                 leased_until = leased_until + interval '${by}',
                 attempt_ended_at = attempt_ended_at + interval '${by}', retry_after_at = retry_after_at + interval '${by}'
               WHERE status = 'pending'`,
  // A beat under way would overwrite the row of a running worker, so another one has such a row.
  workers: `INSERT INTO worker_processes (name, seen_at)
            SELECT 'worker@ahead:1', now() + interval '${by}' WHERE EXISTS (SELECT FROM worker_processes)
            ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`,
});

async function moveAhead(by: string): Promise<void> {
  for (const statement of Object.values(writtenAhead(by))) await stack.sql(statement);
}

/** Waits until an order's unit was sent once and waits for the second time, as the supplier asked: for ten minutes. */
const untilQueued = ({ order_number }: OrderBody): Promise<object[]> =>
  eventually(
    () =>
      stack.sql(
        `SELECT FROM order_units WHERE state = 'queued' AND sends = 1
           AND order_id = (SELECT id FROM orders WHERE order_number = $1)`,
        [order_number],
      ),
    ({ length }) => length === 1,
  );

/** Waits until the unit waits for no longer than usual, and then ends its wait. */
async function sendAgain(order: OrderBody): Promise<void> {
  await eventually(
    () =>
      stack.sql(
        `SELECT FROM order_units WHERE next_action_at <= now() + interval '10 minutes'
           AND order_id = (SELECT id FROM orders WHERE order_number = $1)`,
        [order.order_number],
      ),
    ({ length }) => length === 1,
  );
  await makeDue(stack, order);
}

const BUSY = { status: 429, headers: { 'retry-after': '600' } };

describe('after the clock of PostgreSQL was ahead, and is right again', () => {
  it('workers buy units of that time as soon as they start', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    await moveAhead('1 year');
    await stack.startWorker();
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('retries, leases and deliveries of running workers wait no longer than usual', async () => {
    const { body: webhook } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: receiver.url('/hook'),
      retry_delay: 600,
    });
    receiver.answer('/hook', 500, 204);
    stack.supplier.script('later', (_request, { length }) => (length === 0 ? BUSY : { status: 422 }));
    const order = await stack.order(merchant, [{ sku }], 'later');
    await untilQueued(order);
    await moveAhead('1 hour');
    await sendAgain(order);
    await stack.orderWith(merchant, order.reference_id, 'failed');
    await eventually(
      () => receiver.at('/hook'),
      ({ length }) => length === 1,
    );
    await eventually(
      () =>
        stack.sql(
          `SELECT FROM webhook_deliveries WHERE status = 'pending' AND attempt_count = 1 AND due_at IS NOT NULL`,
        ),
      ({ length }) => length === 1,
    );
    await moveAhead('1 hour');
    await eventually(
      () =>
        stack.sql(
          `SELECT FROM webhook_deliveries WHERE status = 'pending' AND due_at <= now() + interval '10 minutes'`,
        ),
      ({ length }) => length === 1,
    );
    await stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE status = 'pending'`);
    await eventually(
      () => merchant.client.get<{ data: { status: string }[] }>(`/v1/merchant-webhooks/${webhook.id}/deliveries`),
      ({ body }) => body.data[0]?.status === 'succeeded',
    );
  });

  it('a unit in doubt goes to review in time, not later by the difference of the clock', async () => {
    stack.supplier.script('in doubt', () => 'drop');
    const order = await stack.order(merchant, [{ sku }], 'in doubt');
    const unit = (): Promise<{ unknown_since: Date | null; late: boolean }[]> =>
      stack.sql(
        `SELECT unknown_since, unknown_since > now() OR last_sent_at > now() AS late FROM order_units
         WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
        [order.order_number],
      );
    await eventually(unit, ([row]) => row?.unknown_since !== null);
    await moveAhead('1 year');
    await eventually(unit, ([row]) => row?.late === false);
    // Settled, so that the books can be closed.
    stack.supplier.script('in doubt', ({ reference }) => ({
      status: 200,
      body: { reference, status: 'succeeded' },
    }));
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('a unit of several sends still counts as such, even if the clock was set back between them, too', async () => {
    stack.supplier.script('twice', ({ reference }, { length }) =>
      length === 0 ? BUSY : { status: 200, body: { reference, status: 'succeeded' } },
    );
    const order = await stack.order(merchant, [{ sku }], 'twice');
    await untilQueued(order);
    await stack.sql(
      `UPDATE order_units SET first_sent_at = now() + interval '2 hours', last_sent_at = now() + interval '1 hour',
         updated_at = now() + interval '1 hour', next_action_at = next_action_at + interval '1 hour'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await stack.sql(writtenAhead('1 hour').workers ?? '');
    const [unit] = await eventually(
      () =>
        stack.sql<{ is_late: boolean; is_first_before: boolean }>(
          `SELECT last_sent_at > now() AS is_late, first_sent_at < last_sent_at AS is_first_before FROM order_units
           WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
          [order.order_number],
        ),
      ([row]) => row?.is_late === false,
    );
    expect(unit?.is_first_before).toBe(true);
    await sendAgain(order);
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('rows of a transaction that was open all the time are due in time, too', async () => {
    stack.supplier.script('open meanwhile', ({ reference }, { length }) =>
      length === 0 ? BUSY : { status: 200, body: { reference, status: 'succeeded' } },
    );
    const order = await stack.order(merchant, [{ sku }], 'open meanwhile');
    await untilQueued(order);
    await holding(stack, 'supplier_calls', async (client) => {
      await client.query(writtenAhead('1 hour').units ?? '');
      // The first beat reports that the clock was set back. By the second, the sweeper has looked for rows ahead of it.
      for (const _beat of ['first', 'second']) {
        await stack.sql(writtenAhead('1 minute').workers ?? '');
        await eventually(
          () => stack.sql(`SELECT FROM worker_processes WHERE seen_at > now()`),
          ({ length }) => length === 0,
        );
      }
    });
    await sendAgain(order);
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('a worker writes heartbeats also while the search for rows of that time takes long', async () => {
    // One statement of the search waits for the lock until its limit ends it, and the next run waits again.
    await holding(stack, 'month_closing_turn', () =>
      eventually(
        async () => {
          await stack.sql(writtenAhead('1 minute').workers ?? '');
          return stack.sql(
            `SELECT FROM pg_stat_activity, worker_processes
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1
               AND name <> 'worker@ahead:1' AND seen_at > query_start`,
            ['%UPDATE month_closing_turn SET%CASE%'],
          );
        },
        ({ length }) => length > 0,
      ),
    );
  });

  it('no other row waits longer than usual, or is taken for a new one', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const year = `interval '1 year'`;
    await stack.sql(`
      INSERT INTO suppliers (code, adapter, base_url, timeout_ms, pause_reason, paused_at, probe_at, catalogue_read_at,
                             product_read_at, purchases_listed_at, purchases_due_at, balance_due_at, updated_at,
                             test_asked_until, inquiry_asked_until, last_paused_at, last_resumed_at)
      SELECT 'ahead', adapter, base_url, timeout_ms, 'deposit', now() + ${year}, now() + ${year}, now() + ${year},
             now() + ${year}, now() + ${year}, now() + ${year}, now() + ${year}, now() + ${year},
             now() + ${year}, now() + ${year}, now() + ${year}, now() + ${year}
      FROM suppliers WHERE code = 'fake'`);
    await stack.sql(`UPDATE supplier_offers SET cost_micros = 1, cost_currency = 'THB', cost_at = now() + ${year}`);
    await stack.sql(`
      INSERT INTO attempt_checks (order_id, item, unit, attempt, due_at)
      SELECT order_id, item, unit, number, now() + ${year} FROM unit_attempts LIMIT 1`);
    await stack.sql(`
      INSERT INTO supplier_product_reads (supplier_id, sku, asked_at, due_at)
      SELECT id, 'SKU', now() + ${year}, now() + ${year} FROM suppliers WHERE code = 'ahead'`);
    await stack.sql(`
      INSERT INTO supplier_products (supplier_id, sku, name, sellable, cost_at, first_seen_at, last_seen_at, gone_at)
      SELECT id, 'SKU', 'theirs', false, now() + ${year}, now() + ${year}, now() + ${year}, now() + ${year}
      FROM suppliers WHERE code = 'ahead'`);
    await stack.sql(`UPDATE month_closing_turn SET next_at = now() + ${year}`);
    // Shortly after midnight, the next reading of a list is due in almost 27 hours: that time stays.
    const tomorrowNight = `list_due_at = now() + interval '26 hours 50 minutes'`;
    await stack.sql(`UPDATE deposit_channels SET list_read_until = now() + ${year}, ${tomorrowNight}`);
    await stack.sql(
      `WITH operator AS (
         INSERT INTO operators (email, name, role, locked_until, known_device_locked_until)
         VALUES ('ahead@shop.example', 'Ahead', 'viewer', now() + ${year}, now() + ${year}) RETURNING id)
       INSERT INTO operator_sessions (id_hash, operator_id, awaits_code, ip, user_agent, expires_at, created_at, seen_at, confirmed_at)
       SELECT '1', id, false, '', '', now() + ${year}, now() + ${year}, now() + ${year}, now() + ${year} FROM operator`,
    );
    await stack.sql(
      `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint, previous_secret_sealed,
                             previous_secret_expires_at)
       VALUES ($1, 'https://shop.example', '{order.completed}', '1', '1', '1', now() + ${year})`,
      [merchant.id],
    );
    await stack.sql(`UPDATE event_retention SET removed_until = now() + ${year}`);
    await stack.sql(writtenAhead('1 minute').workers ?? '');
    const later = (column: string, table: string, most: string): string =>
      `SELECT '${table}.${column}' AS late FROM ${table} WHERE ${column} > now() + interval '${most}'`;
    const late = [
      ...[
        'updated_at',
        'paused_at',
        'last_paused_at',
        'last_resumed_at',
        'catalogue_read_at',
        'product_read_at',
        'purchases_listed_at',
      ].map((column) => later(column, 'suppliers', '0')),
      ...['purchases_due_at', 'balance_due_at', 'probe_at'].map((column) => later(column, 'suppliers', '11 minutes')),
      ...['test_asked_until', 'inquiry_asked_until'].map((column) => later(column, 'suppliers', '1 minute')),
      later('cost_at', 'supplier_offers', '0'),
      later('due_at', 'attempt_checks', '1 day'),
      later('due_at', 'supplier_product_reads', '1 minute'),
      ...['cost_at', 'first_seen_at', 'last_seen_at', 'gone_at'].map((column) =>
        later(column, 'supplier_products', '0'),
      ),
      later('next_at', 'month_closing_turn', '1 day'),
      later('list_read_until', 'deposit_channels', '2 minutes'),
      ...['locked_until', 'known_device_locked_until'].map((column) => later(column, 'operators', '1 day')),
      ...['created_at', 'seen_at', 'confirmed_at'].map((column) => later(column, 'operator_sessions', '0')),
      later('previous_secret_expires_at', 'webhooks', '7 days'),
      later('removed_until', 'event_retention', '0'),
    ].join(' UNION ALL ');
    await eventually(
      () => stack.sql(late),
      ({ length }) => length === 0,
    );
    const stay = `SELECT FROM deposit_channels WHERE list_due_at > now() + interval '26 hours'`;
    expect(await stack.sql(stay)).not.toHaveLength(0);
    await stack.sql(`DELETE FROM attempt_checks`);
  });

  it('workers find a dead worker of that time as soon as usual', async () => {
    await stack.sql(`INSERT INTO worker_processes VALUES ('worker@gone:1', now() + interval '1 day')`);
    await eventually(
      () => stack.sql(`SELECT FROM worker_processes WHERE name = 'worker@gone:1' AND seen_at > now()`),
      ({ length }) => length === 0,
    );
  });
});
