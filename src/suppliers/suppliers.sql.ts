import type { Statement } from '../database/database.js';

export const FIND_TIMEOUTS: Statement = {
  name: 'suppliers.find_timeouts',
  text: `SELECT code, timeout_ms FROM suppliers ORDER BY code`,
};

/** Items and attempts stand for units, which have no index by supplier; the other tables are small. */
export const COUNT_USES: Statement = {
  name: 'suppliers.count_uses',
  text: `SELECT (SELECT count(*)::int FROM products WHERE supplier_id = $1) AS products,
                (SELECT count(*)::int FROM supplier_reversals WHERE supplier_id = $1) AS reversals,
                EXISTS (SELECT FROM order_items WHERE supplier_id = $1)
                  OR EXISTS (SELECT FROM unit_attempts WHERE supplier_id = $1) AS orders`,
};

/** For the rest of the transaction. */
export const NO_STATEMENT_TIMEOUT: Statement = {
  name: 'suppliers.no_statement_timeout',
  text: `SELECT set_config('statement_timeout', '0', true)`,
};

export const DELETE_SUPPLIER: Statement = {
  name: 'suppliers.delete',
  text: `DELETE FROM suppliers WHERE id = $1`,
};
