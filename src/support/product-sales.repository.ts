import { Injectable } from '@nestjs/common';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { selectFirstIdSince } from '../database/first-id-since.sql.js';
import { statement } from '../database/parameters.js';
import { ReplicaReadsService } from '../database/replica-reads.service.js';

/** The counts of a product's sold and failed units that merchants ordered in one period. */
export interface SoldRow {
  sku: string;
  sold: number;
  failed: number;
  /** The price of the sold units to merchants, in satang. */
  revenue: bigint;
}

/** The units of one product and one day. The first day has the number 0. */
export type DayRow = Omit<SoldRow, 'sku'> & { day: number };

/** The moment when a day begins in a zone. @param days the number of days before today, as SQL. */
const dayStart = (zone: string, days: string): string =>
  `(date_trunc('day', statement_timestamp() AT TIME ZONE ${zone}) - ${days} * interval '1 day') AT TIME ZONE ${zone}`;

const SUMS = `
  coalesce(sum(i.completed_quantity), 0)::int AS sold, coalesce(sum(i.failed_quantity), 0)::int AS failed,
  coalesce(sum(i.completed_quantity * i.unit_price), 0)::bigint AS revenue`;

/** Finds the orders of today by their ids: the first order of today, and all later ones. */
export const SOLD_TODAY = statement(
  'product_sales.today',
  { zone: 'text' },
  ({ zone }) => `
    SELECT i.sku, ${SUMS} FROM order_items i
    WHERE i.order_id >= (${selectFirstIdSince('orders', dayStart(zone, '0'))}) AND i.supplier_id <> ${SANDBOX_SUPPLIER_ID}
    GROUP BY i.sku`,
);

/** Compares negated ids of orders, because the index of items by SKU has the negated ids. */
export const SOLD_BY_DAY = statement(
  'product_sales.by_day',
  { sku: 'text', zone: 'text', days: 'int' },
  ({ sku, zone, days }) => `
    WITH days AS (
      SELECT day, first.id AS begins, coalesce(lead(first.id) OVER (ORDER BY day), 9223372036854775807) AS ends
      FROM generate_series(0, ${days} - 1) day
      CROSS JOIN LATERAL (${selectFirstIdSince('orders', dayStart(zone, `(${days} - 1 - day)`))}) first)
    SELECT day, sums.* FROM days CROSS JOIN LATERAL (
      SELECT ${SUMS} FROM order_items i
      WHERE i.sku = ${sku} AND -i.order_id <= -days.begins AND -i.order_id > -days.ends
        AND i.supplier_id <> ${SANDBOX_SUPPLIER_ID}) sums
    ORDER BY day`,
);

const NAMES_OF_DAYS = statement(
  'product_sales.days',
  { zone: 'text', days: 'int' },
  ({ zone, days }) => `
    SELECT day, to_char((statement_timestamp() AT TIME ZONE ${zone}) - (${days} - 1 - day) * interval '1 day', 'YYYY-MM-DD') AS name
    FROM generate_series(0, ${days} - 1) day ORDER BY day`,
);

/** Units sold outside the sandbox, by the day of the order. */
@Injectable()
export class ProductSalesRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** Every product that was ordered today. */
  listToday(zone: string): Promise<SoldRow[]> {
    return this.reads.query<SoldRow>(...SOLD_TODAY.with({ zone }));
  }

  /** Returns the last `days` days up to today, including days without sales. Returns no day if there is no order at all. */
  listDays(sku: string, zone: string, days: number): Promise<DayRow[]> {
    return this.reads.query<DayRow>(...SOLD_BY_DAY.with({ sku, zone, days }));
  }

  /** Returns the dates of the last `days` days up to today, such as `2026-11-22`. */
  async listNames(zone: string, days: number): Promise<string[]> {
    const rows = await this.reads.query<{ name: string }>(...NAMES_OF_DAYS.with({ zone, days }));
    return rows.map(({ name }) => name);
  }
}
