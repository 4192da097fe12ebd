import { selectFirstIdSince } from '../../database/first-id-since.sql.js';
import type { Statement } from '../../database/database.js';
import { compare, type Among, type MomentCheck, type OrderCheck, type RowCheck } from './check.sql.js';
import { DEPOSIT_CHECKS } from './deposit-checks.sql.js';
import { ORDER_CHECKS } from './order-checks.sql.js';
import { UNIT_CHECKS } from './unit-checks.sql.js';
import { DELIVERY_CHECK, MOMENT_CHECKS, MOVEMENTS } from './wallet-checks.sql.js';

/** The books, which are read in batches. */
export const TABLES = { orders: 'orders', transfers: 'transfers', deliveries: 'webhook_deliveries' } as const;
export type Book = keyof typeof TABLES;

/**
 * No new movement can appear before this time. A transaction that adds movements takes far less than 5 minutes. So any movement that
 * is still to be committed is at most 5 minutes older than the latest one that we see.
 */
const SETTLED = `(SELECT created_at FROM transfers ORDER BY id DESC LIMIT 1) - interval '5 minutes'`;

/** The extent of the books: all orders and deliveries, but only the movements among which no new movement can appear. */
export const EXTENT: Statement = {
  name: 'audit.extent',
  text: `
    SELECT (SELECT coalesce(max(id), 0) FROM orders) AS orders,
           (SELECT coalesce(max(id), 0) FROM webhook_deliveries) AS deliveries,
           coalesce((${selectFirstIdSince('transfers', SETTLED)}), 1) - 1 AS transfers`,
};

/** The last id of a batch. $1: after this id, $2: through that one at most, $3: how many rows. */
const endOfBatch = (book: Book): Statement => ({
  name: `audit.end_of_batch.${book}`,
  text: `SELECT max(id) AS id FROM (
           SELECT id FROM ${TABLES[book]} WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3) batch`,
});

export const END_OF_BATCH: Record<Book, Statement> = {
  orders: endOfBatch('orders'),
  transfers: endOfBatch('transfers'),
  deliveries: endOfBatch('deliveries'),
};

/** A statement and the checks that it carries out. */
export interface Comparison {
  statement: Statement;
  checks: readonly RowCheck[];
}

/** How orders are chosen: after $1 and through $2, or the ids in $1. */
const AMONG = {
  range: (id) => `${id} > $1 AND ${id} <= $2`,
  named: (id) => `${id} = ANY($1::bigint[])`,
} satisfies Record<string, Among>;
export type Choice = keyof typeof AMONG;

const CHECKS: readonly OrderCheck[] = [...ORDER_CHECKS, ...UNIT_CHECKS];
const SOURCES = [...new Set(CHECKS.map(({ rows }) => rows))];

const comparisonsOf = (choice: Choice): Comparison[] =>
  SOURCES.map((source, index) => {
    const checks = CHECKS.filter(({ rows }) => rows === source);
    return {
      statement: { name: `audit.orders.${choice}.${index}`, text: compare(source(AMONG[choice]), checks) },
      checks,
    };
  });

/** The checks of orders. Checks over the same rows share a statement. */
export const ORDER_COMPARISONS: Record<Choice, Comparison[]> = {
  range: comparisonsOf('range'),
  named: comparisonsOf('named'),
};

const countOrders = (choice: Choice): Statement => ({
  name: `audit.count_orders.${choice}`,
  text: `
    SELECT count(*) AS orders, coalesce(array_agg(id ORDER BY id) FILTER (WHERE status IN ('pending', 'processing')), '{}') AS open
    FROM orders WHERE ${AMONG[choice]('id')}`,
});

/** Counts the orders and lists the open ones. */
export const COUNT_ORDERS: Record<Choice, Statement> = {
  range: countOrders('range'),
  named: countOrders('named'),
};

/** $1: after this id, $2: through that one. */
export const COMPARE_DELIVERIES: Comparison = {
  statement: { name: 'audit.deliveries', text: compare(DELIVERY_CHECK.rows, [DELIVERY_CHECK]) },
  checks: [DELIVERY_CHECK],
};

/** $1: after this id, $2: through that one. */
export const READ_MOVEMENTS: Statement = { name: 'audit.movements', text: MOVEMENTS };

export const MOMENT_COMPARISONS: Comparison[] = [MOMENT_CHECKS, DEPOSIT_CHECKS]
  .flatMap(Object.values<MomentCheck>)
  .map((check) => ({
    statement: { name: `audit.${check.name}`, text: compare(check.rows, [check]) },
    checks: [check],
  }));

export const BALANCES: Statement = {
  name: 'audit.balances',
  text: `SELECT merchant_id, available, held FROM wallets`,
};

/** Finds open orders up to an id, except some orders. $1: the id, $2: the ids of the orders to leave out. */
export const UNKNOWN_OPEN: Statement = {
  name: 'audit.unknown_open',
  text: `SELECT order_number FROM orders
         WHERE status IN ('pending', 'processing') AND id <= $1 AND NOT id = ANY($2::bigint[]) ORDER BY id`,
};
