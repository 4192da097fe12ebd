import { counted } from '../core/text.js';
import { formatBaht } from '../core/money.js';
import { baht, compare, type Check } from './check.sql.js';

/** Each wallet beside what its merchant's movements of money add up to. */
const WALLETS_AND_MOVEMENTS = `
  SELECT merchant_id, available, held, coalesce(credits, 0) AS credits, coalesce(debits, 0) AS debits,
         coalesce(holds, 0) AS holds, coalesce(spends, 0) AS spends, coalesce(refunds, 0) AS refunds
  FROM wallets FULL JOIN (
    SELECT merchant_id,
           sum(amount) FILTER (WHERE kind = 'credit') AS credits,
           sum(amount) FILTER (WHERE kind = 'debit') AS debits,
           sum(amount) FILTER (WHERE kind = 'order_hold') AS holds,
           sum(amount) FILTER (WHERE kind = 'order_spend') AS spends,
           sum(amount) FILTER (WHERE kind = 'order_refund') AS refunds
    FROM transfers GROUP BY merchant_id) moved USING (merchant_id)`;

const AVAILABLE = 'credits - debits - holds + refunds';
const HELD = 'holds - spends - refunds';

const wallet = (have: string, should: string): string =>
  `format('merchant %s has %s and should have %s', merchant_id, ${baht(have)}, ${baht(should)})`;

const MOVEMENT_FIGURES = {
  credits: 'sum(credits)',
  debits: 'sum(debits)',
  holds: 'sum(holds)',
  spends: 'sum(spends)',
  refunds: 'sum(refunds)',
};

/** The rules about wallets and the movements of money between their accounts. */
export const WALLET_CHECKS: Check[] = [
  {
    name: 'merchant_wallets',
    sql: compare({
      rows: `SELECT m.id, w.merchant_id AS wallet FROM merchants m LEFT JOIN wallets w ON w.merchant_id = m.id`,
      wrong: 'wallet IS NULL',
      example: `format('merchant %s has none', id)`,
    }),
    describe: ({ checked = 0n }) => `${counted(checked, 'merchant')}, each with a wallet`,
  },
  {
    name: 'available_balances',
    sql: compare({
      rows: WALLETS_AND_MOVEMENTS,
      wrong: `available IS DISTINCT FROM ${AVAILABLE}`,
      example: wallet('available', AVAILABLE),
      figures: { ...MOVEMENT_FIGURES, available: 'sum(available)' },
    }),
    describe: ({ checked = 0n, available = 0n, credits = 0n, debits = 0n, holds = 0n, refunds = 0n }) =>
      `${counted(checked, 'wallet')}, available ${formatBaht(available)} = credits ${formatBaht(credits)} ` +
      `- debits ${formatBaht(debits)} - holds ${formatBaht(holds)} + refunds ${formatBaht(refunds)}`,
  },
  {
    name: 'held_balances',
    sql: compare({
      rows: WALLETS_AND_MOVEMENTS,
      wrong: `held IS DISTINCT FROM ${HELD}`,
      example: wallet('held', HELD),
      figures: { ...MOVEMENT_FIGURES, held: 'sum(held)' },
    }),
    describe: ({ checked = 0n, held = 0n, holds = 0n, spends = 0n, refunds = 0n }) =>
      `${counted(checked, 'wallet')}, held ${formatBaht(held)} = holds ${formatBaht(holds)} ` +
      `- spends ${formatBaht(spends)} - refunds ${formatBaht(refunds)}`,
  },
  {
    name: 'held_for_open_orders',
    sql: compare({
      rows: `
        SELECT merchant_id, held, coalesce(open_orders, 0) AS open_orders, coalesce(open_total, 0) AS open_total
        FROM wallets FULL JOIN (
          SELECT merchant_id, count(*) AS open_orders, sum(total_amount) AS open_total
          FROM orders WHERE status IN ('pending', 'processing') GROUP BY merchant_id) open USING (merchant_id)`,
      wrong: 'held IS DISTINCT FROM open_total',
      example: wallet('held', 'open_total'),
      figures: { held: 'sum(held)', open_orders: 'sum(open_orders)', open_total: 'sum(open_total)' },
    }),
    describe: ({ held = 0n, open_orders = 0n, open_total = 0n }) =>
      `${counted(open_orders, 'open order')} of ${formatBaht(open_total)} in total, held ${formatBaht(held)}`,
  },
  {
    name: 'balances_not_negative',
    sql: compare({
      rows: `SELECT merchant_id, available, held FROM wallets`,
      wrong: 'available < 0 OR held < 0',
      example: `format('merchant %s has %s available and %s held', merchant_id, ${baht('available')}, ${baht('held')})`,
      figures: { lowest: 'min(least(available, held))' },
    }),
    describe: ({ checked = 0n, lowest = 0n }) =>
      `${counted(checked, 'wallet')}, the lowest balance ${formatBaht(lowest)}`,
  },
  {
    name: 'double_entry',
    sql: compare({
      rows: `
        SELECT t.*, o.merchant_id AS order_merchant_id FROM transfers t LEFT JOIN orders o ON o.id = t.order_id`,
      wrong: `
        amount <= 0
        OR (kind, debit_account, credit_account) NOT IN (
          ('credit', 'funding', 'available'), ('debit', 'available', 'funding'), ('order_hold', 'available', 'held'),
          ('order_spend', 'held', 'spent'), ('order_refund', 'held', 'available'))
        OR (kind IN ('credit', 'debit')) <> (reference IS NOT NULL)
        OR (kind IN ('credit', 'debit')) <> (order_id IS NULL)
        OR (order_id IS NOT NULL AND order_merchant_id IS DISTINCT FROM merchant_id)`,
      example: `format('transfer %s, a %s from %s to %s of %s', id, kind, debit_account, credit_account, ${baht('amount')})`,
      figures: { moved: 'sum(amount)' },
    }),
    describe: ({ checked = 0n, moved = 0n }) =>
      `${counted(checked, 'transfer')} of ${formatBaht(moved)} in total`,
  },
  {
    name: 'statements',
    sql: compare({
      rows: `
        SELECT t.id, t.merchant_id, t.available_after,
               coalesce(lag(t.available_after) OVER merchant, 0)
                 + CASE t.kind WHEN 'credit' THEN amount WHEN 'order_refund' THEN amount
                               WHEN 'debit' THEN -amount WHEN 'order_hold' THEN -amount ELSE 0 END AS expected,
               CASE WHEN lead(t.id) OVER merchant IS NULL THEN w.available ELSE t.available_after END AS stands
        FROM transfers t LEFT JOIN wallets w USING (merchant_id)
        WINDOW merchant AS (PARTITION BY t.merchant_id ORDER BY t.id)`,
      wrong: 'available_after <> expected OR available_after IS DISTINCT FROM stands',
      example: `format('transfer %s of merchant %s leaves %s where %s follows from the one before and the wallet has %s',
                       id, merchant_id, ${baht('available_after')}, ${baht('expected')}, ${baht('stands')})`,
      figures: { merchants: 'count(DISTINCT merchant_id)' },
    }),
    describe: ({ checked = 0n, merchants = 0n }) =>
      `${counted(checked, 'transfer')} of ${counted(merchants, 'merchant')}, each balance following from the one before`,
  },
];
