import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import type { Extent } from './audit.repository.js';
import type { ArchivedPartition } from './archived-partition.entity.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import type { WalletClosing } from './closing.js';
import * as sql from './closings.sql.js';

/** What is known of a partition that is archived. */
export type ArchivedOrdersService = Pick<
  ArchivedPartition,
  'number' | 'first_id' | 'end_id' | 'state' | 'directory' | 'orders' | 'bytes' | 'months' | 'archived_at'
>;

/** When a month ends, and from when on it can be closed. */
export interface MonthEnd {
  stop: Date;
  closable_at: Date;
  closable: boolean;
}

/** Closed months, and whose turn it is to close others. */
@Injectable()
export class ClosingsRepository {
  constructor(private readonly database: Database) {}

  /** The first one first. */
  async list(tx: Queryable): Promise<ClosedMonth[]> {
    const rows = await tx.query<Omit<ClosedMonth, 'left_open'> & { left_open: string[] }>(sql.LIST);
    // The driver reads a list of 64-bit integers as text.
    return rows.map((row) => ({ ...row, left_open: row.left_open.map(BigInt) }));
  }

  /** Partitions of orders that are not there to be read, the first one first. */
  listArchived(tx: Queryable): Promise<ArchivedOrdersService[]> {
    return tx.query<ArchivedOrdersService>(sql.LIST_ARCHIVED);
  }

  /** What the wallets had at the end of a closed month, in the order of their merchants. */
  wallets(tx: Queryable, month: string): Promise<ClosedWallet[]> {
    return tx.query<ClosedWallet>(sql.WALLETS, [month]);
  }

  /** The month in which the books begin; null where they have nothing yet. */
  async firstMonth(): Promise<string | null> {
    const [row] = await this.database.query<{ month: string | null }>(sql.FIRST_MONTH);
    return row?.month ?? null;
  }

  /** @param days how long ago a month must have ended to be closed. */
  async endOf(month: string, days: number): Promise<MonthEnd> {
    const [row] = await this.database.query<MonthEnd>(sql.END_OF_MONTH, [month, days]);
    return present(row, 'a month has an end');
  }

  /** The last id of each book before a moment. */
  async lastIdsBefore(moment: Date): Promise<Extent> {
    const [row] = await this.database.query<Extent>(sql.LAST_IDS_BEFORE, [moment]);
    return present(row, 'the books have an extent');
  }

  /** @throws CONFLICT where it does not follow what was closed last: another process closed it meanwhile. */
  async insert(tx: Transaction, closing: ClosedMonth, wallets: readonly WalletClosing[]): Promise<void> {
    const { month, left_open, checks, ...members } = closing;
    const [last] = await tx.query<{ hash: Buffer }>(sql.LAST_HASH);
    const isNext = last ? closing.previous_hash?.equals(last.hash) : closing.previous_hash === null;
    const rows = isNext
      ? await tx.query(
          ...sql.INSERT_MONTH.with({
            month,
            ...members,
            left_open: `{${left_open.join(',')}}`,
            checks: JSON.stringify(checks),
          }),
        )
      : [];
    if (rows.length === 0) throw new AppError('CONFLICT', `${month} was closed by another process meanwhile`);
    tx.write(...sql.INSERT_WALLETS.with({ month, wallets }));
  }

  /** @returns whether it is time to look for months to close, which is then ours for so many seconds. */
  async acquireLock(seconds: number): Promise<boolean> {
    return (await this.database.query(sql.TAKE_TURN, [seconds])).length > 0;
  }

  /** Nobody looks for months to close for so many seconds from now. */
  async extendLock(seconds: number): Promise<void> {
    await this.database.query(sql.KEEP_TURN, [seconds]);
  }
}
