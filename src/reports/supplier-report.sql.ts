import type { Statement } from '../database/database.js';

export interface UnitCounts {
  succeeded: bigint;
  failed: bigint;
  open: bigint;
  succeeded_amount: bigint;
  /** Where the reading of the units starts: no order since then has a lower id. */
  first_order_id: bigint;
}

const UNITS = `
  FROM orders o
  JOIN order_units u ON u.order_id = o.id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
  WHERE u.supplier_id = $1 AND o.created_at >= $2`;

/** $1 supplier, $2 orders created since. */
export const COUNT_UNITS: Statement = {
  name: 'supplier_report.count_units',
  text: `SELECT count(*) FILTER (WHERE u.state = 'succeeded') AS succeeded,
                count(*) FILTER (WHERE u.state = 'failed') AS failed,
                count(*) FILTER (WHERE u.state NOT IN ('succeeded', 'failed')) AS open,
                coalesce(sum(i.unit_price) FILTER (WHERE u.state = 'succeeded'), 0)::bigint AS succeeded_amount,
                coalesce(min(o.id), 0) AS first_order_id ${UNITS}`,
};

export interface SettledUnitRow {
  order_id: bigint;
  item: number;
  unit: number;
  order_number: string;
  state: 'succeeded' | 'failed';
  failure_code: string | null;
  unit_price: bigint;
}

/** $3–$5 the unit after which to go on, $6 how many. */
export const PAGE_OF_SETTLED: Statement = {
  name: 'supplier_report.page_of_settled',
  text: `SELECT u.order_id, u.item, u.unit, o.order_number, u.state, u.failure_code, i.unit_price ${UNITS}
           AND u.state IN ('succeeded', 'failed')
           AND (u.order_id, u.item, u.unit) > ($3::bigint, $4::smallint, $5::smallint)
         ORDER BY u.order_id, u.item, u.unit LIMIT $6`,
};

/** $1 supplier. */
export const COUNT_OPEN_CASES: Statement = {
  name: 'supplier_report.count_open_cases',
  text: `SELECT count(*) AS cases FROM supplier_reversals WHERE supplier_id = $1 AND status = 'open'`,
};
