import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DELIVERED_EVENTS } from '../../src/events/event.entity.js';
import { PAGE_OF_EVENTS } from '../../src/events/events.sql.js';
import { DELIVERY_STATUSES, UNDELIVERED } from '../../src/webhooks/delivery.entity.js';
import { PAGE, pageValues, type DeliveryFilter } from '../../src/webhooks/deliveries.repository.js';
import {
  conditionsOf,
  LIST_WEBHOOKS,
  PAGE_BY_WEBHOOK,
  PAGE_OF_NEWEST,
  PAGE_OF_UNDELIVERED,
  type DeliveryListFilter,
} from '../../src/webhooks/webhook-listing.sql.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { Hooks } from './support.js';

const OTHERS = 2_000;
const OWN = 5_000;
/** The rows that a page of 20 may read: 21 of each kind in each status, and each shown one by its key. */
const MAX_READ = 21 * DELIVERED_EVENTS.length * DELIVERY_STATUSES.length + 21;

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
}

let stack: TestStack;
let merchant: TestMerchant;
let webhookId: number;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('0.00');
  const noisy = await stack.merchant('0.00');
  const url = 'http://127.0.0.1:9/';
  webhookId = (await new Hooks(merchant).register(url)).id;
  const other = (await new Hooks(noisy).register(url)).id;
  await fill(merchant.id, webhookId, 5);
  await fill(merchant.id, webhookId, OWN, ['order.completed'], ['succeeded']);
  await fill(noisy.id, other, OTHERS);
  await stack.fill('ANALYZE');
});

afterAll(() => stack.close());

/** The number of deliveries of each kind in each status. */
async function fill(
  merchantId: number,
  id: number,
  count: number,
  kinds: readonly string[] = DELIVERED_EVENTS,
  statuses: readonly string[] = DELIVERY_STATUSES,
): Promise<void> {
  // Not a connection of the service, whose time limits are too short on a busy machine.
  const client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
  // Foreign keys are off, because these orders do not exist.
  await client.query('SET session_replication_role = replica');
  await client.query(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, order_id, body, created_at)
       SELECT 'evt_' || gen_random_uuid(), $1, kind,
              CASE WHEN kind LIKE 'order.%' THEN (random() * 9e15)::bigint END, '{}', now()
       FROM generate_series(1, $3::int * cardinality($5::text[])), unnest($4::text[]) AS kind RETURNING id, kind),
     placed AS (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY id) AS place FROM made)
     INSERT INTO webhook_deliveries (webhook_id, event_id, kind, status, due_at, created_at, updated_at)
     SELECT $2, id, kind, status, CASE status WHEN 'pending' THEN now() END, now(), now()
     FROM (SELECT *, ($5::text[])[1 + place % cardinality($5::text[])] AS status FROM placed ORDER BY id) AS spread`,
    [merchantId, id, count, kinds, statuses],
  );
  await client.end();
}

/** The indexes by which a statement reads deliveries or events, and the number of rows that it reads. */
async function readsOf(
  text: string,
  values: unknown[],
  table = 'webhook_deliveries',
): Promise<{ indexes: string[]; rows: number; buffers: number }> {
  const client = await stack.database.pool.connect();
  await client.query('SET plan_cache_mode = force_generic_plan');
  const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  client.release(true);
  const plan = plans[0]?.['QUERY PLAN'][0].Plan as Node;
  const nodes = flatten(plan).filter((node) => node['Relation Name'] === table);
  const read = (node: Node): number =>
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1);
  return {
    indexes: [...new Set(nodes.map((node) => node['Index Name'] ?? node['Node Type']))].sort(),
    rows: nodes.map(read).reduce((sum, each) => sum + each, 0),
    buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  };
}

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

const filters: DeliveryFilter[] = [undefined, ...DELIVERY_STATUSES].flatMap((status) =>
  [undefined, ...DELIVERED_EVENTS].map((event) => ({ status, event })),
);

const listed = ({ status, event }: DeliveryFilter): DeliveryListFilter => ({
  statuses: status && [status],
  events: event && [event],
});

describe('a page of deliveries reads only its own rows among many', () => {
  it.each(filters)('with the filters $status, $event', async (filter) => {
    for (const before of [null, 20_000n]) {
      const { indexes, rows } = await readsOf(PAGE.text, pageValues(webhookId, filter, before, 21));
      expect(indexes).toEqual(['ix_webhook_deliveries_page', 'pk_webhook_deliveries']);
      expect(rows).toBeLessThanOrEqual(MAX_READ);
    }
  });

  it.each([null, ...DELIVERY_STATUSES])('also over all webhooks of a merchant: %s', async (status) => {
    const filter = { merchantIds: [merchant.id], statuses: status === null ? undefined : [status] };
    const conditions = conditionsOf(filter, { first: 0n, before: null, limit: 21 });
    const [list, values] = PAGE_BY_WEBHOOK.with({ ...conditions, webhookId: null, merchantIds: [merchant.id] });
    const { indexes, rows } = await readsOf(list.text, values);
    expect(indexes).toEqual(['ix_webhook_deliveries_page', 'pk_webhook_deliveries']);
    expect(rows).toBeLessThanOrEqual(MAX_READ);
  });
});

describe('a page of deliveries to all webhooks reads few rows among many', () => {
  it.each(filters)('with the filters $status, $event', async (filter) => {
    for (const before of [null, 20_000n]) {
      const conditions = conditionsOf(listed(filter), { first: 1n, before, limit: 21 });
      const [newest, newestValues] = PAGE_OF_NEWEST.with(conditions);
      const first = await readsOf(newest.text, newestValues);
      expect(first.indexes).toEqual(['pk_webhook_deliveries']);
      expect(first.rows).toBeLessThanOrEqual(2_000 + 21);
      const [others, values] = PAGE_BY_WEBHOOK.with({ ...conditions, webhookId: null, merchantIds: null });
      const { indexes, rows } = await readsOf(others.text, values);
      expect(indexes).toEqual(['ix_webhook_deliveries_page', 'pk_webhook_deliveries']);
      expect(rows).toBeLessThanOrEqual(2 * MAX_READ);
    }
  });

  it('and so does a page of webhooks with the state of their deliveries', async () => {
    const before = 2 ** 31 - 1;
    const [list, values] = LIST_WEBHOOKS.with({ merchantIds: null, statuses: null, before, limit: 51 });
    const { indexes, rows } = await readsOf(list.text, values);
    expect(indexes).toEqual([
      'ix_webhook_deliveries_due',
      'ix_webhook_deliveries_leased',
      'ix_webhook_deliveries_page',
      'pk_webhook_deliveries',
    ]);
    expect(rows).toBeLessThanOrEqual(2 * 2_500);
  });
});

describe('a page of deliveries that failed or were cancelled', () => {
  const pages = filters.filter(({ status }) => UNDELIVERED.some((each) => each === status));
  /** The part of a page's reads that does not depend on the number of webhooks. */
  const read = async (filter: DeliveryFilter, before: bigint | null) => {
    const [page, values] = PAGE_OF_UNDELIVERED.with(conditionsOf(listed(filter), { first: 1n, before, limit: 21 }));
    return readsOf(page.text, values);
  };

  it('costs the same with any number of webhooks', async () => {
    const asked = pages.flatMap((filter) => [null, 20_000n].map((before) => ({ filter, before })));
    const few = [];
    for (const { filter, before } of asked) few.push(await read(filter, before));
    await stack.fill(
      `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint, max_retries, retry_delay, created_at, updated_at)
       SELECT merchant_id, url, events, secret_sealed, secret_hint, max_retries, retry_delay, created_at, updated_at
       FROM webhooks, generate_series(1, 3000) WHERE id = ${webhookId};
       ANALYZE webhooks`,
    );
    for (const [place, { filter, before }] of asked.entries()) {
      const { indexes, rows, buffers } = await read(filter, before);
      expect(indexes).toEqual(['ix_webhook_deliveries_undelivered', 'pk_webhook_deliveries']);
      expect(rows).toBeLessThanOrEqual(21 * (filter.event ? 2 : DELIVERED_EVENTS.length + 1));
      // It also reads the attempts, orders and merchants of 21 deliveries.
      expect(buffers).toBeLessThanOrEqual((few[place]?.buffers ?? 0) + 21 * 4);
    }
  });
});

describe('the index of deliveries that failed or were cancelled', () => {
  const bytes = async (): Promise<bigint | undefined> =>
    (await stack.sql<{ bytes: bigint }>(`SELECT pg_relation_size('ix_webhook_deliveries_undelivered') AS bytes`))[0]
      ?.bytes;

  it('is written only by such deliveries: a successful one costs nothing there', async () => {
    const before = await bytes();
    await fill(merchant.id, webhookId, 2_000, ['order.completed'], ['pending']);
    const end = async (status: string): Promise<void> => {
      await stack.fill(`
        UPDATE webhook_deliveries SET status = 'pending', due_at = NULL, leased_until = now(), attempt_started_at = now()
        WHERE attempt_count = 0 AND webhook_id = ${webhookId} AND kind = 'order.completed'
          AND status IN ('pending', 'succeeded');
        UPDATE webhook_deliveries SET status = '${status}', leased_until = NULL, attempt_started_at = NULL
        WHERE leased_until IS NOT NULL`);
    };
    await end('succeeded');
    expect(await bytes()).toBe(before);
    await end('failed');
    expect(await bytes()).toBeGreaterThan(Number(before));
  });
});

describe('a page of events reads only its own rows among many', () => {
  it.each([undefined, ...DELIVERED_EVENTS])('of the type %s', async (type) => {
    const kinds = type === undefined ? [...DELIVERED_EVENTS] : [type];
    for (const after of [0n, 5_000n]) {
      const [{ text }, values] = PAGE_OF_EVENTS.with({ merchantId: merchant.id, kinds, after, limit: 21 });
      const { indexes, rows } = await readsOf(text, values, 'events');
      expect(indexes).toEqual(['ix_events_page', 'pk_events']);
      expect(rows).toBeLessThanOrEqual(21 * (kinds.length + 1));
    }
  });
});
