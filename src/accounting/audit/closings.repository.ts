import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Database, type Queryable, type Transaction, type Statement } from '../../database/database.js';
import type { Extent } from './audit.repository.js';
import type { ArchivedPartition } from './archived-partition.entity.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import type { WalletClosing } from './closing.js';
import { selectFirstIdSince } from '../../database/first-id-since.sql.js';
import { rowsOf, statement } from '../../database/parameters.js';

const LIST: Statement = {
  name: 'closings.list',
  text: `SELECT month, orders_after, orders_through, orders, transfers_after, transfers_through, transfers, deliveries_after,
                deliveries_through, deliveries, left_open, wallets, checks, version, closed_by, closed_at, previous_hash, hash
         FROM closed_months ORDER BY month`,
};

/** $1: the month. */
const WALLETS: Statement = {
  name: 'closings.wallets',
  text: `SELECT month, merchant_id, last_transfer_id, available, held, credits, debits, holds, spends, refunds
         FROM closed_wallets WHERE month = $1 ORDER BY merchant_id`,
};

const LIST_ARCHIVED: Statement = {
  name: 'closings.list_archived',
  text: `SELECT number, first_id, end_id, state, directory, orders, bytes, months, archived_at FROM archived_partitions
         WHERE state IN ('detached', 'dropped') ORDER BY number`,
};

const TIMEZONE = `'Asia/Bangkok'`;
const firstMoment = (table: string): string => `(SELECT created_at FROM ${table} ORDER BY id LIMIT 1)`;

const FIRST_MONTH: Statement = {
  name: 'closings.first_month',
  text: `SELECT to_char(least(${firstMoment('orders')}, ${firstMoment('transfers')}) AT TIME ZONE ${TIMEZONE}, 'YYYY-MM') AS month`,
};

/**
 * The end of a month, and whether the month can be closed or archived. $1: the month, $2: the days that must pass after
 * its end.
 */
const END_OF_MONTH: Statement = {
  name: 'closings.end_of_month',
  text: `
    SELECT stop, stop + make_interval(days => $2) AS closable_at,
           stop + make_interval(days => $2) <= statement_timestamp() AS closable
    FROM (SELECT (($1 || '-01')::timestamp + interval '1 month') AT TIME ZONE ${TIMEZONE} AS stop) month_end`,
};

const lastBefore = (table: 'orders' | 'transfers' | 'webhook_deliveries'): string =>
  `coalesce((${selectFirstIdSince(table, '$1::timestamptz')}), 1) - 1`;

/** $1: a time. */
const LAST_IDS_BEFORE: Statement = {
  name: 'closings.last_ids_before',
  text: `SELECT ${lastBefore('orders')} AS orders, ${lastBefore('transfers')} AS transfers,
                ${lastBefore('webhook_deliveries')} AS deliveries`,
};

const LAST_HASH: Statement = {
  name: 'closings.last_hash',
  text: `SELECT hash FROM closed_months ORDER BY month DESC LIMIT 1`,
};

/** Inserts no row if another process has closed the month meanwhile. */
const INSERT_MONTH = statement(
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

const INSERT_WALLETS = statement(
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

/** Acquires the lock for closing months. Returns no row before `next_at`, the end of the lock. $1: seconds. */
const ACQUIRE_LOCK: Statement = {
  name: 'closings.take_turn',
  text: `UPDATE month_closing_turn SET next_at = statement_timestamp() + make_interval(secs => $1)
         WHERE next_at <= statement_timestamp() RETURNING next_at`,
};

/** $1: seconds from now. */
const EXTEND_LOCK: Statement = {
  name: 'closings.keep_turn',
  text: `UPDATE month_closing_turn SET next_at = statement_timestamp() + make_interval(secs => $1)`,
};

/** An archived partition. */
export type ArchivedOrders = Pick<
  ArchivedPartition,
  'number' | 'first_id' | 'end_id' | 'state' | 'directory' | 'orders' | 'bytes' | 'months' | 'archived_at'
>;

/** The end of a month, and the time from which the month can be closed or archived. */
interface MonthEnd {
  stop: Date;
  closable_at: Date;
  closable: boolean;
}

/** Closed months, and the lock for closing more. */
@Injectable()
export class ClosingsRepository {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async list(tx: Queryable): Promise<ClosedMonth[]> {
    const rows = await tx.query<Omit<ClosedMonth, 'left_open'> & { left_open: string[] }>(LIST);
    // The driver reads a list of 64-bit integers as text.
    return rows.map((row) => ({ ...row, left_open: row.left_open.map(BigInt) }));
  }

  /** Partitions of orders that were removed from the tables of orders, oldest first. */
  listArchived(tx: Queryable): Promise<ArchivedOrders[]> {
    return tx.query<ArchivedOrders>(LIST_ARCHIVED);
  }

  /** Wallets at the end of a closed month, by merchant. */
  wallets(tx: Queryable, month: string): Promise<ClosedWallet[]> {
    return tx.query<ClosedWallet>(WALLETS, [month]);
  }

  /** The first month of the books; null while they are empty. */
  async firstMonth(): Promise<string | null> {
    const [row] = await this.database.query<{ month: string | null }>(FIRST_MONTH);
    return row?.month ?? null;
  }

  /** @param days how many days must pass after the end of the month. */
  async endOf(month: string, days: number): Promise<MonthEnd> {
    const [row] = await this.database.query<MonthEnd>(END_OF_MONTH, [month, days]);
    return present(row, 'a month has an end');
  }

  /** The last id of each book before a time. */
  async lastIdsBefore(moment: Date): Promise<Extent> {
    const [row] = await this.database.query<Extent>(LAST_IDS_BEFORE, [moment]);
    return present(row, 'the books have an extent');
  }

  /** @throws CONFLICT if another process has closed the month meanwhile. */
  async insert(tx: Transaction, closing: ClosedMonth, wallets: readonly WalletClosing[]): Promise<void> {
    const { month, left_open, checks, ...members } = closing;
    const [last] = await tx.query<{ hash: Buffer }>(LAST_HASH);
    const isNext = last ? closing.previous_hash?.equals(last.hash) : closing.previous_hash === null;
    const rows = isNext
      ? await tx.query(
          ...INSERT_MONTH.with({
            month,
            ...members,
            left_open: `{${left_open.join(',')}}`,
            checks: JSON.stringify(checks),
          }),
        )
      : [];
    if (rows.length === 0) throw new AppError('CONFLICT', `${month} was closed by another process meanwhile`);
    tx.write(...INSERT_WALLETS.with({ month, wallets }));
  }

  /** Acquires the lock for this many seconds. @returns false before the end of the last lock. */
  async acquireLock(seconds: number): Promise<boolean> {
    return (await this.database.query(ACQUIRE_LOCK, [seconds])).length > 0;
  }

  /** Extends the lock: no worker looks for months to close for this many seconds. */
  async extendLock(seconds: number): Promise<void> {
    await this.database.query(EXTEND_LOCK, [seconds]);
  }
}
