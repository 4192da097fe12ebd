import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MARK_IN_DOUBT } from '../../src/fulfilment/callbacks/supplier-callbacks.repository.js';
import { UnitsRepository } from '../../src/fulfilment/units.repository.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { neverSeen } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Wire } from '../support/wire.js';

let stack: TestStack;
let wire: Wire;
let receiver: WebhookReceiver;
let merchant: TestMerchant;

beforeAll(async () => {
  // Long enough that no test passes by waiting for it.
  stack = await TestStack.start({ SUPPLIER_QUIET_PERIOD_MS: '900000' }, { worker: false });
  receiver = await new WebhookReceiver().listen();
  wire = await new Wire(stack.config.DATABASE_URL).listen();
  // So long, too, is the lease of a claim.
  await stack.addSupplier('fake', stack.supplier.url, 600_000);
  merchant = await stack.merchant('1000.00');
  await stack.startWorker({ DATABASE_URL: wire.url });
});

afterAll(() => closeWithBalancedBooks(stack, receiver, wire));

const SENDING = `SELECT FROM order_units WHERE state = 'sending'`;

/**
 * Cuts the connection after PostgreSQL got a named statement, so that its answer is lost. A statement that finds nothing to claim
 * does not count. @param isDone finds its rows.
 */
async function cutAtTheAnswerTo(statement: string, isDone: string): Promise<void> {
  for (;;) {
    await wire.cutAfterSending((bytes) => bytes.includes(statement));
    // PostgreSQL ends a session without a client once it has carried out its last statement.
    await eventually(
      () => stack.sql('SELECT FROM pg_stat_activity WHERE client_port = ANY($1)', [wire.ports]),
      ({ length }) => length === 0,
    );
    if ((await stack.sql(isDone)).length > 0) return;
    wire.restore();
  }
}

/** The same, and allows connections again at once. */
async function loseTheAnswerTo(statement: string, isDone: string): Promise<void> {
  await cutAtTheAnswerTo(statement, isDone);
  wire.restore();
}

interface UnitRow {
  order_id: bigint;
  state: string;
  sends: number;
}

/** The only unit of an order. */
async function unitOf({ order_number }: OrderBody): Promise<UnitRow> {
  const [unit] = await stack.sql<UnitRow>(
    `SELECT order_id, state, sends FROM order_units
     WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
    [order_number],
  );
  if (!unit) throw new Error(`order ${order_number} has no unit`);
  return unit;
}

describe('a claim whose answer is lost with the connection', () => {
  it('of units: a worker buys them as soon as PostgreSQL is back, because none was sent', async () => {
    // The first order makes the connection prepare the statement. Later ones send only its name.
    const sku = await stack.product('35.00');
    const first = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, first.reference_id, 'completed');
    const lost = loseTheAnswerTo('units.claim', SENDING);
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await lost;
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const requests = stack.supplier.about(order.order_number);
    expect(requests.map(({ kind }) => kind)).toEqual(['send', 'send', 'send']);
    const units = await stack.sql<{ sends: number }>(
      `SELECT sends FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    expect(units).toEqual([{ sends: 1 }, { sends: 1 }, { sends: 1 }]);
  });

  it('of deliveries: a worker delivers them as soon as PostgreSQL is back, and the lost claim counts as no attempt', async () => {
    const { body: webhook } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: receiver.url('/hook'),
      max_retries: 0,
    });
    const lost = loseTheAnswerTo(
      'webhook_deliveries.claim',
      'SELECT FROM webhook_deliveries WHERE leased_until IS NOT NULL',
    );
    const { body: delivery } = await merchant.client.post<{ id: number }>(`/v1/merchant-webhooks/${webhook.id}/test`);
    await lost;
    const path = `/v1/merchant-webhooks/${webhook.id}/deliveries/${delivery.id}`;
    const { body } = await eventually(
      () => merchant.client.get<{ status: string; attempts: object[] }>(path),
      ({ body }) => body.status !== 'pending',
    );
    expect(body.status).toBe('succeeded');
    expect(body.attempts).toHaveLength(1);
    expect(receiver.at('/hook')).toHaveLength(1);
  });

  it('of a unit that another worker queries meanwhile: it is still bought at once, and once', async () => {
    const sku = await stack.product('35.00');
    const lost = cutAtTheAnswerTo('units.claim', SENDING);
    const order = await stack.order(merchant, [{ sku }]);
    const { order_number } = order;
    stack.supplier.script(order_number, () => neverSeen);
    await lost;
    // PostgreSQL was away for longer than the lease; the other worker finds it first.
    const { order_id } = await unitOf(order);
    await stack.sql(`UPDATE order_units SET next_action_at = now() WHERE order_id = $1`, [order_id]);
    await stack.startWorker();
    await eventually(
      () => stack.supplier.about(order_number),
      ({ length }) => length > 0,
    );
    // No inquiry is in flight when the worker undoes its claim: that would leave the unit in doubt.
    await eventually(
      () =>
        stack.sql(
          `UPDATE order_units SET next_action_at = now() + interval '1 hour'
           WHERE order_id = $1 AND state = 'unknown' AND claimed_by IS NULL RETURNING 1`,
          [order_id],
        ),
      ({ length }) => length === 1,
    );
    wire.restore();
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const kinds = stack.supplier.about(order_number).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'send')).toHaveLength(1);
    expect(kinds[0]).toBe('inquiry');
    expect((await unitOf(order)).sends).toBe(1);
  });
});

describe('the worker of a claim that was taken over undoes the claim only if the unit was never sent', () => {
  beforeAll(() => stack.stopWorkers());

  afterEach(() => stack.stopWorkers());

  const LOST = 'a worker/7';
  const TAKEN_OVER = `state = 'unknown', next_action = 'inquire', next_action_at = now() + interval '1 hour', claim = 2,
    sends = 1, first_sent_at = now(), last_sent_at = now(), unknown_since = now(), interrupted_claim = '${LOST}'`;
  const insertCall = (outcome: string, kind = 'inquiry'): string =>
    `INSERT INTO supplier_calls (order_id, item, unit, kind, outcome, process, duration_ms, ended_at)
     SELECT order_id, item, unit, '${kind}', '${outcome}', 'another', 1, now() FROM order_units WHERE order_id = $1`;

  it.each([
    ['was not sent, as its worker reports', `sends = 1`, insertCall('interrupted', 'send'), 'queued'],
    ['got an answer to its send', `sends = 1`, insertCall('unknown', 'send'), 'unknown'],
    ['was sent again meanwhile', `sends = 2`, insertCall('never_seen'), 'unknown'],
    ['has an inquiry in flight', `claimed_by = 'another/1'`, insertCall('unknown'), 'unknown'],
    ['is known to its supplier', `sends = 1`, insertCall('processing'), 'unknown'],
    ['had a callback', `sends = 1`, insertCall('unknown', 'callback'), 'unknown'],
    ['was claimed by another worker', `interrupted_claim = 'a worker/8'`, insertCall('never_seen'), 'unknown'],
    ['is in review', `state = 'review', next_action_at = NULL`, insertCall('unknown'), 'review'],
  ])('where the unit %s', async (_words, changes, insert, state) => {
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    const { order_id } = await unitOf(order);
    await stack.sql(`UPDATE order_units SET ${TAKEN_OVER} WHERE order_id = $1`, [order_id]);
    await stack.sql(`UPDATE order_units SET ${changes} WHERE order_id = $1`, [order_id]);
    await stack.sql(insert, [order_id]);
    const worker = await stack.startWorker();
    await worker.get(SchemaService).whenReady();
    await worker.get(UnitsRepository).undoClaims([LOST], 0);
    // The running worker buys the unit if its claim was undone.
    if (state === 'queued') await stack.orderWith(merchant, order.reference_id, 'completed');
    else expect((await unitOf(order)).state).toBe(state);
    await stack.sql(
      `UPDATE order_units SET state = 'unknown', next_action_at = now(), claimed_by = NULL, sends = 1,
         last_sent_at = now() - interval '1 day' WHERE order_id = $1 AND state IN ('unknown', 'review')`,
      [order_id],
    );
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});

describe('a lost claim to query with a call that may buy', () => {
  afterAll(() => stack.stopWorkers());

  // A unit that waits for a send is sent even long after its first send, when its supplier has forgotten the reference.
  it('leaves the unit waiting for an inquiry, not for a send', async () => {
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    const { order_id } = await unitOf(order);
    await stack.sql(
      `UPDATE order_units SET state = 'sending', next_action = 'inquire', next_action_at = now() + interval '1 hour',
         claim = 2, claimed_by = 'a worker/9', sends = 2, inquiries = 1, first_sent_at = now() - interval '50 minutes',
         last_sent_at = now(), unknown_since = now() - interval '50 minutes' WHERE order_id = $1`,
      [order_id],
    );
    const worker = await stack.startWorker();
    await worker.get(SchemaService).whenReady();
    await worker.get(UnitsRepository).undoClaims(['a worker/9'], 0);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(stack.supplier.about(order.order_number).map(({ kind }) => kind)).toEqual(['inquiry']);
    expect((await unitOf(order)).sends).toBe(1);
  });
});

describe('a lost claim to send a unit whose purchase a callback proves meanwhile', () => {
  afterEach(() => stack.stopWorkers());

  it.each([
    ['for the first time', 'sends = 1, unknown_since = NULL'],
    ['again, because it was not accepted', 'sends = 2, unknown_since = NULL'],
    ['again, because it was never seen', `sends = 2, unknown_since = now() - interval '50 minutes'`],
  ])('%s, leaves the unit waiting for an inquiry, not for a send', async (_words, sent) => {
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    const { order_id } = await unitOf(order);
    await stack.sql(
      `UPDATE order_units SET state = 'sending', next_action = 'inquire', next_action_at = now() + interval '1 hour',
         claim = 2, claimed_by = 'a worker/9', ${sent}, first_sent_at = now() - interval '50 minutes',
         last_sent_at = now() WHERE order_id = $1`,
      [order_id],
    );
    const [mark, values] = MARK_IN_DOUBT.with({ order_id, item: 1, unit: 1, attempt: 0, minGapMs: 0n });
    await stack.sql(mark.text, values);
    const worker = await stack.startWorker();
    await worker.get(SchemaService).whenReady();
    await worker.get(UnitsRepository).undoClaims(['a worker/9'], 0);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(stack.supplier.about(order.order_number).map(({ kind }) => kind)).toEqual(['inquiry']);
  });
});
