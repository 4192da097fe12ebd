import type { Statement } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { claimDueSuppliers } from './due-suppliers.sql.js';

/** How long reported balances are stored. */
const RETENTION = `interval '31 days'`;

/** Records nothing if the supplier's adapter, address or account changed during the call. */
export const RECORD_BALANCE = statement(
  'supplier_balances.record',
  { id: 'int', adapter: 'text', baseUrl: 'text', account: 'text', micros: 'bigint', currency: 'text' },
  ({ id, adapter, baseUrl, account, micros, currency }) => `
    WITH reported AS (
      UPDATE suppliers
      SET balance_micros = ${micros}, balance_currency = ${currency}, balance_at = statement_timestamp()
      WHERE id = ${id} AND adapter = ${adapter} AND base_url = ${baseUrl} AND account = ${account}
      RETURNING id, balance_at, balance_currency, balance_micros),
    old AS (
      DELETE FROM supplier_balances WHERE supplier_id = ${id} AND told_at < statement_timestamp() - ${RETENTION})
    INSERT INTO supplier_balances (supplier_id, told_at, currency, micros)
    SELECT id, balance_at, balance_currency, balance_micros FROM reported
    ON CONFLICT DO NOTHING`,
);

export const FORGET_BALANCES = statement(
  'supplier_balances.forget',
  { id: 'int' },
  ({ id }) => `DELETE FROM supplier_balances WHERE supplier_id = ${id}`,
);

/** Lists only balances in the currency that the supplier reports now. */
export const LIST_REPORTED = statement(
  'supplier_balances.list_told',
  { id: 'int', since: 'timestamptz', max: 'int' },
  ({ id, since, max }) => `
    WITH reported AS (
      SELECT b.told_at, b.currency, b.micros, row_number() OVER (ORDER BY b.told_at DESC) - 1 AS ago,
             count(*) OVER () AS readings
      FROM supplier_balances b JOIN suppliers s ON s.id = b.supplier_id AND s.balance_currency = b.currency
      WHERE b.supplier_id = ${id} AND b.told_at >= ${since})
    SELECT told_at, currency, micros FROM reported
    WHERE ago % (1 + (readings - 1) / ${max}) = 0 ORDER BY told_at`,
);

/** Claims only suppliers that have offers and are not paused. */
export const CLAIM_DUE_BALANCES = claimDueSuppliers(
  'supplier_balances.claim_due',
  'balance_due_at',
  's.pause_reason IS NULL AND EXISTS (SELECT FROM supplier_offers WHERE supplier_id = s.id)',
  'code',
);

/**
 * For each supplier: the amount that we spent from our balance in the last day, and the time between the first and the last
 * reported balance. If the balance rose between two reports, that counts as no spending. Suppliers with fewer than two reports
 * have no row.
 */
export const SPENDING = `
  SELECT r.supplier_id, sum(greatest(r.before - r.micros, 0)) AS spent_micros,
         extract(epoch FROM max(r.told_at) - min(r.since))::float8 AS seconds
  FROM suppliers s CROSS JOIN LATERAL (
    SELECT b.supplier_id, b.told_at, b.micros, lag(b.micros) OVER w AS before, lag(b.told_at) OVER w AS since
    FROM supplier_balances b
    WHERE b.supplier_id = s.id AND b.currency = s.balance_currency
      AND b.told_at > statement_timestamp() - interval '1 day'
    WINDOW w AS (ORDER BY b.told_at)) r
  WHERE r.before IS NOT NULL
  GROUP BY r.supplier_id`;

/** The minimum time between the first and the last report: less says too little about the pace. */
const MIN_SECONDS = 3600;

/** In SQL: for how many seconds a balance lasts at the pace of the last day; null if that is unknown. */
export const LASTS_SECONDS = `
  CASE WHEN spending.spent_micros > 0 AND spending.seconds >= ${MIN_SECONDS}
    THEN greatest(s.balance_micros, 0) / spending.spent_micros * spending.seconds END`;

export const LIST_LASTING: Statement = {
  name: 'supplier_balances.list_lasting',
  text: `SELECT s.code, floor(${LASTS_SECONDS} / 3600)::float8 AS hours
         FROM suppliers s JOIN (${SPENDING}) spending ON spending.supplier_id = s.id`,
};
