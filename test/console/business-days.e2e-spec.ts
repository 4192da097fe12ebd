import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIRST_ORDERS, SOLD_BY_HOUR } from '../../src/accounting/reports/business-days.repository.js';
import { BusinessDaysService, type Business } from '../../src/accounting/reports/business-days.service.js';
import { refused } from '../support/fake-supplier.js';
import { eventually } from '../support/eventually.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { startScene, type Scene } from './scene.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = new Date();
/** A zone in which it is about noon, so that an hour ago and in an hour is the same day. */
const offset = 12 - now.getUTCHours();
const ZONE = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;

let scene: Scene;
let sku: string;
let plain: string;
let old: TestMerchant;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_TIMEZONE: ZONE });
  const { stack } = scene;
  old = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
  plain = await stack.product('10.00');
  await sold(sku, { daysAgo: 8 });
  await sold(sku, { daysAgo: 7, quantity: 2 });
  await sold(sku, { daysAgo: 7, laterMs: HOUR_MS });
  await sold(plain, { daysAgo: 1, laterMs: -HOUR_MS });
  await sold(sku, { daysAgo: 1, by: scene.merchant });
  await sold(sku, { daysAgo: 1, laterMs: HOUR_MS, quantity: 4 });
  await scene.console.sql(
    `INSERT INTO minute_figures (figure, subject, minute, label, up_to_ms, value)
     SELECT 'orders', '', $1::timestamptz + later, label, 0, value
     FROM (VALUES ('placed', 5), ('completed', 3), ('failed', 1)) counted(label, value)
     CROSS JOIN unnest('{-1 hour,1 hour}'::interval[]) AS later`,
    [new Date(now.getTime() - DAY_MS)],
  );
});
afterAll(() => scene.close());

/** A completed order, of earlier days in the order of their ids. @param laterMs than the present time of such a day. */
async function sold(product: string, { daysAgo = 0, laterMs = -60_000, quantity = 1, by = old }): Promise<void> {
  const { stack } = scene;
  const order = await stack.order(by, [{ sku: product, quantity }]);
  await stack.orderWith(by, order.reference_id, 'completed');
  // Hours that have ended may have been read already.
  const moment = daysAgo === 0 ? new Date() : new Date(now.getTime() - daysAgo * DAY_MS + laterMs);
  const at = moment.toISOString();
  const isOf = `order_id = (SELECT id FROM orders WHERE order_number = '${order.order_number}')`;
  const cost = product === plain ? 'NULL' : '30000000';
  // Triggers are off, because they refuse changes of ended rows.
  await stack.sql(`DO $$ BEGIN
    SET LOCAL session_replication_role = 'replica';
    UPDATE orders SET created_at = '${at}', updated_at = '${at}' WHERE order_number = '${order.order_number}';
    UPDATE transfers SET created_at = '${at}' WHERE ${isOf};
    UPDATE unit_attempts SET created_at = '${at}', cost_micros = ${cost}, cost_currency = 'THB' WHERE ${isOf};
  END $$`);
}

async function read(role: 'admin' | 'viewer' = 'admin'): Promise<Business> {
  const { browser } = await scene.console.signedIn(role);
  const { status, body } = await browser.get<Business>('/api/figures/business');
  expect(status).toBe(200);
  return body;
}

const sumOf = (hours: string[]): number => hours.reduce((sum, sales) => sum + Number(sales), 0);

describe('the business of today', () => {
  it('stands against yesterday and the same weekday, until the same time of the day', async () => {
    const { today, yesterday, week_before: weekBefore } = await read();
    expect(today).toMatchObject({ sales: '0.00', margin: '0.00', margin_percent: null, first_orders: 0 });
    expect(yesterday).toMatchObject({
      sales: '45.00',
      margin: '5.00',
      margin_percent: 14.3,
      sales_without_cost: '10.00',
    });
    expect(weekBefore).toMatchObject({ sales: '70.00', margin: '10.00', sales_without_cost: '0.00', orders: 0 });
    for (const [day, daysAgo] of [
      [today, 0],
      [yesterday, 1],
      [weekBefore, 7],
    ] as const) {
      const startsAt = Date.parse(String(day.from)) + offset * HOUR_MS;
      expect([daysAgo, startsAt % DAY_MS]).toEqual([daysAgo, 0]);
      expect(Date.parse(String(today.until)) - Date.parse(String(day.until))).toBe(daysAgo * DAY_MS);
    }
  });

  it('has the sales of each hour, of earlier days up to their end', async () => {
    const { today, yesterday, week_before: weekBefore } = await read();
    expect([yesterday.hours.length, weekBefore.hours.length]).toEqual([24, 24]);
    expect([sumOf(yesterday.hours), sumOf(weekBefore.hours)]).toEqual([185, 105]);
    const hours = (Date.parse(String(today.until)) - Date.parse(String(today.from))) / HOUR_MS;
    expect(today.hours).toHaveLength(Math.ceil(hours));
  });

  it('counts merchants on the day of their first order', async () => {
    const { yesterday, week_before: weekBefore } = await read();
    // The other merchant began the day before that.
    expect([yesterday.first_orders, weekBefore.first_orders]).toEqual([1, 0]);
  });

  it('counts orders until the same time of the day', async () => {
    const { yesterday } = await read();
    expect(yesterday).toMatchObject({ orders: 5, failed_share: 0.25 });
  });

  it('follows new orders, with the best products and new merchants, beside hours that it has read before', async () => {
    const { stack, console } = scene;
    const newcomer = await stack.merchant('1000.00');
    const user = unique('refused');
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const failed = await stack.order(newcomer, [{ sku }], user);
    await stack.orderWith(newcomer, failed.reference_id, 'failed');
    await sold(plain, { by: newcomer, quantity: 2 });
    await sold(sku, { by: newcomer, quantity: 3 });
    const before = await read();
    const {
      today,
      yesterday,
      best_products: best,
      new_merchants: merchants,
    } = await eventually(
      () => console.app.get(BusinessDaysService).read(ZONE, { seesCosts: true }),
      ({ today: { sales, failed_share: share } }) => sales === '125.00' && share !== null,
    );
    expect(today).toMatchObject({
      margin: '15.00',
      margin_percent: 14.3,
      sales_without_cost: '20.00',
      first_orders: 1,
    });
    expect(yesterday).toMatchObject({ sales: before.yesterday.sales, hours: before.yesterday.hours });
    expect(best).toEqual([
      {
        sku,
        name: `Product ${sku}`,
        units: 3,
        sales: '105.00',
        margin: '15.00',
        margin_percent: 14.3,
        sales_without_cost: '0.00',
      },
      {
        sku: plain,
        name: `Product ${plain}`,
        units: 2,
        sales: '20.00',
        margin: '0.00',
        margin_percent: null,
        sales_without_cost: '20.00',
      },
    ]);
    expect(merchants.map(({ id }) => id)).toEqual([newcomer.id]);
  });

  it('has no costs for operators without the permission', async () => {
    const { yesterday, best_products: best } = await read('viewer');
    const hidden = { margin: null, margin_percent: null, sales_without_cost: null };
    expect(yesterday).toMatchObject({ sales: '45.00', ...hidden });
    expect(best.every(({ margin }) => margin === null)).toBe(true);
  });

  it.each([
    { statement: SOLD_BY_HOUR, indexes: ['pk_order_items', 'pk_order_units', 'pk_transfers', 'pk_unit_attempts'] },
    { statement: FIRST_ORDERS, indexes: ['ix_orders_newest'] },
  ])('is read by index: $statement.name', async ({ statement: { text }, indexes }) => {
    // Also in an empty database, because a new installation keeps that plan until PostgreSQL analyzes the table.
    const rows = await scene.console.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (orders|order_items|order_units|transfers|unit_attempts)/);
    expect([...new Set(plan.match(/\b(pk_order|ix_order|pk_transfers|pk_unit)\w*/g))].sort()).toEqual(indexes);
  });
});
