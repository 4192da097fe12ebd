import { selectFirstIdSince } from '../../database/first-id-since.sql.js';
import type { Statement } from '../../database/database.js';
import { rowsOf, statement } from '../../database/parameters.js';

/** All closed months, the first one first. */
export const LIST: Statement = {
  name: 'closings.list',
  text: `SELECT month, orders_after, orders_through, orders, transfers_after, transfers_through, transfers, deliveries_after,
                deliveries_through, deliveries, left_open, wallets, checks, version, closed_by, closed_at, previous_hash, hash
         FROM closed_months ORDER BY month`,
};

/** What the wallets had at the end of a month: $1. */
export const WALLETS: Statement = {
  name: 'closings.wallets',
  text: `SELECT month, merchant_id, last_transfer_id, available, held, credits, debits, holds, spends, refunds
         FROM closed_wallets WHERE month = $1 ORDER BY merchant_id`,
};

/** Partitions of orders that are in files only. The first one first. */
export const LIST_ARCHIVED: Statement = {
  name: 'closings.list_archived',
  text: `SELECT number, first_id, end_id, state, directory, orders, bytes, months, archived_at FROM archived_partitions
         WHERE state IN ('detached', 'dropped') ORDER BY number`,
};

const TIMEZONE = `'Asia/Bangkok'`;
const firstMoment = (table: string): string => `(SELECT created_at FROM ${table} ORDER BY id LIMIT 1)`;

/** The first month of the books; null where nothing was written yet. */
export const FIRST_MONTH: Statement = {
  name: 'closings.first_month',
  text: `SELECT to_char(least(${firstMoment('orders')}, ${firstMoment('transfers')}) AT TIME ZONE ${TIMEZONE}, 'YYYY-MM') AS month`,
};

/** When a month ends, and whether that is long enough ago: $1 the month, $2 days. */
export const END_OF_MONTH: Statement = {
  name: 'closings.end_of_month',
  text: `
    SELECT stop, stop + make_interval(days => $2) AS closable_at,
           stop + make_interval(days => $2) <= statement_timestamp() AS closable
    FROM (SELECT (($1 || '-01')::timestamp + interval '1 month') AT TIME ZONE ${TIMEZONE} AS stop) asked`,
};

const lastBefore = (table: 'orders' | 'transfers' | 'webhook_deliveries'): string =>
  `coalesce((${selectFirstIdSince(table, '$1::timestamptz')}), 1) - 1`;

/** The last ids before a moment: $1. */
export const LAST_IDS_BEFORE: Statement = {
  name: 'closings.last_ids_before',
  text: `SELECT ${lastBefore('orders')} AS orders, ${lastBefore('transfers')} AS transfers,
                ${lastBefore('webhook_deliveries')} AS deliveries`,
};

/** The hash of the last closed month, if there is one. */
export const LAST_HASH: Statement = {
  name: 'closings.last_hash',
  text: `SELECT hash FROM closed_months ORDER BY month DESC LIMIT 1`,
};

/** No row where another process has closed the month meanwhile. */
export const INSERT_MONTH = statement(
  'closings.insert_month',
  {
    month: 'text',
    orders_after: 'bigint',
    orders_through: 'bigint',
    orders: 'bigint',
    transfers_after: 'bigint',
    transfers_through: 'bigint',
    transfers: 'bigint',
    deliveries_after: 'bigint',
    deliveries_through: 'bigint',
    deliveries: 'bigint',
    left_open: 'text',
    wallets: 'int',
    checks: 'text',
    version: 'text',
    closed_by: 'text',
    closed_at: 'timestamptz',
    previous_hash: 'bytea?',
    hash: 'bytea',
  },
  ({ left_open: leftOpen, checks, ...given }) => `
    INSERT INTO closed_months (${Object.keys(given).join(', ')}, left_open, checks)
    VALUES (${Object.values(given).join(', ')}, ${leftOpen}::bigint[], ${checks}::json)
    ON CONFLICT (month) DO NOTHING RETURNING month`,
);

export const INSERT_WALLETS = statement(
  'closings.insert_wallets',
  {
    month: 'text',
    wallets: rowsOf({
      merchant_id: 'int',
      last_transfer_id: 'bigint',
      available: 'bigint',
      held: 'bigint',
      credits: 'bigint',
      debits: 'bigint',
      holds: 'bigint',
      spends: 'bigint',
      refunds: 'bigint',
    }),
  },
  ({ month, wallets }) => `
    INSERT INTO closed_wallets (month, ${wallets.names}) SELECT ${month}, * FROM ${wallets.unnest}`,
);

/** Takes the turn to look for months to close, for so many seconds: no row where it is not time, or another has it. $1 seconds. */
export const TAKE_TURN: Statement = {
  name: 'closings.take_turn',
  text: `UPDATE month_closing_turn SET next_at = statement_timestamp() + make_interval(secs => $1)
         WHERE next_at <= statement_timestamp() RETURNING next_at`,
};

/** When anybody may look again: $1 seconds from now. */
export const KEEP_TURN: Statement = {
  name: 'closings.keep_turn',
  text: `UPDATE month_closing_turn SET next_at = statement_timestamp() + make_interval(secs => $1)`,
};
