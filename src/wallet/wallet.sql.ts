import { MAX_BIGINT } from '../core/pagination.js';
import type { Statement } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import type { Wallet } from './wallet.entity.js';

export type LockedWallet = Pick<Wallet, 'merchant_id' | 'available' | 'alert_below'>;

/** Locks in the order of ids, so that batches of different processes never deadlock. */
export const LOCK_WALLETS: Statement = {
  name: 'wallets.lock_many',
  text: `SELECT merchant_id, available, alert_below FROM wallets WHERE merchant_id = ANY($1::int[]) ORDER BY merchant_id
         FOR NO KEY UPDATE`,
};

/** Like {@link LOCK_WALLETS}, but skips wallets that another transaction has locked. */
export const LOCK_FREE_WALLETS: Statement = {
  name: 'wallets.lock_free',
  text: `${LOCK_WALLETS.text} SKIP LOCKED`,
};

/** Writes credits, and the new balances of their wallets. The caller must hold the locks of the wallets. */
export const CREDIT_WALLETS = statement(
  'wallets.credit_many',
  {
    credits: rowsOf({
      ...({ merchant_id: 'int', amount: 'bigint', available_after: 'bigint', reference: 'text' } as const),
      ...({ operator: 'text?', approved_by: 'text?' } as const),
    }),
  },
  ({ credits }) => `
    WITH moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, operator, approved_by,
                             created_at)
      SELECT merchant_id, 'credit', 'funding', 'available', amount, available_after, reference, operator, approved_by,
             date_trunc('milliseconds', statement_timestamp())
      FROM ${credits.numbered('credit', 'position')} ORDER BY position
      RETURNING id, merchant_id, amount, reference, created_at),
    changed AS (
      UPDATE wallets SET available = available + credited, updated_at = moved_at
      FROM (SELECT merchant_id, sum(amount)::bigint AS credited, max(created_at) AS moved_at FROM moved GROUP BY merchant_id) sums
      WHERE wallets.merchant_id = sums.merchant_id)
    SELECT id, reference, created_at FROM moved`,
);

/**
 * A subquery for a column of transfer `t`'s archived order. Use it as the last argument of `coalesce`, so that PostgreSQL runs it
 * only if the earlier arguments are null.
 */
export const archived = (name: 'reference_id' | 'order_number'): string =>
  `(SELECT ${name} FROM order_references WHERE order_references.order_id = t.order_id)`;

/** A page of a wallet's entries, newest first. $1 merchant, $2 the last id of the previous page or null, $3 limit. */
export const ENTRIES_PAGE: Statement = {
  name: 'transfers.entries_page',
  text: `SELECT t.id, t.kind, t.amount, t.available_after, coalesce(o.reference_id, t.reference, ${archived('reference_id')}) AS reference_id,
                coalesce(o.order_number, ${archived('order_number')}) AS order_number, t.created_at
         FROM transfers t LEFT JOIN orders o ON o.id = t.order_id
         WHERE t.merchant_id = $1 AND t.kind <> 'order_spend' AND t.id < coalesce($2::bigint, ${MAX_BIGINT})
         ORDER BY t.id DESC LIMIT $3`,
};
