import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { statement } from '../database/parameters.js';
import { selectFirstIdSince } from '../database/first-id-since.sql.js';

/** Pieces of a product that were ordered in a time, by how they ended. */
export interface SoldRow {
  sku: string;
  sold: number;
  failed: number;
  /** For what was sold, in satang. */
  revenue: bigint;
}

/** The same of one day, by its number; 0 is the first. */
export type DayRow = Omit<SoldRow, 'sku'> & { day: number };

/** The beginning of the day that is so many days before today, in a zone. */
const dayStart = (zone: string, days: string): string =>
  `(date_trunc('day', statement_timestamp() AT TIME ZONE ${zone}) - ${days} * interval '1 day') AT TIME ZONE ${zone}`;

const SUMS = `
  coalesce(sum(i.completed_quantity), 0)::int AS sold, coalesce(sum(i.failed_quantity), 0)::int AS failed,
  coalesce(sum(i.completed_quantity * i.unit_price), 0)::bigint AS revenue`;

/** Of what was ordered since the day began, outside the sandbox. Days begin at the first order's id. */
export const SOLD_TODAY = statement(
  'product_sales.today',
  { zone: 'text' },
  ({ zone }) => `
    SELECT i.sku, ${SUMS} FROM order_items i
    WHERE i.order_id >= (${selectFirstIdSince('orders', dayStart(zone, '0'))}) AND i.supplier_id <> ${SANDBOX_SUPPLIER_ID}
    GROUP BY i.sku`,
);

/** One product, day by day, the last of them today. The index of items by SKU has the orders negated. */
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

/** The calendar's name of each of those days. */
export const NAMES_OF_DAYS = statement(
  'product_sales.days',
  { zone: 'text', days: 'int' },
  ({ zone, days }) => `
    SELECT day, to_char((statement_timestamp() AT TIME ZONE ${zone}) - (${days} - 1 - day) * interval '1 day', 'YYYY-MM-DD') AS name
    FROM generate_series(0, ${days} - 1) day ORDER BY day`,
);
