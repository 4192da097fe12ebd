import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { Satang } from '../core/money.js';
import { Database } from '../database/database.js';
import type { EntryRow } from '../wallet/entries.js';
import { atOneMoment, patient } from '../database/snapshot.js';
import { PAGE_BACKWARDS, PAGE_FORWARDS, READ_BOUNDS, READ_MONTH } from './statement.sql.js';

const ROWS_AT_ONCE = 1000;

/** When a month of a statement begins and ends. */
export const STATEMENT_TIMEZONE = 'Asia/Bangkok';

/** From inclusive, to exclusive. */
export interface Period {
  from?: Date;
  to?: Date;
}

/** A line with what only the operator knows of it. */
export type StatementRow = EntryRow & { reference: string | null; note: string | null };

/** A merchant's available balance over a period. */
export interface AccountStatement {
  opening: Satang;
  closing: Satang;
  /** The movements between the two, some at a time, however many there are. */
  pages: (order: 'oldest first' | 'newest first') => AsyncGenerator<StatementRow[]>;
}

interface Bounds {
  opening: Satang;
  closing: Satang;
  first: bigint | null;
  last: bigint | null;
}

/** What moved a merchant's available balance in a period, for the operator. */
@Injectable()
export class AccountStatementService {
  constructor(private readonly database: Database) {}

  /**
   * Movements are never changed, and those of one wallet come one after the other: so the balances are read at one
   * moment, and the lines in pages up to the last one of that moment, without a transaction that stays open.
   */
  async read(merchantId: number, { from, to }: Period): Promise<AccountStatement> {
    const period = [merchantId, from ?? null, to ?? null];
    const [bounds] = await atOneMoment(this.database, (tx) => tx.query<Bounds>(patient(READ_BOUNDS), period));
    if (!bounds) throw new Error('a statement could not be read');
    const { opening, closing } = bounds;
    return { opening, closing, pages: (order) => this.pages(period, bounds, order === 'oldest first') };
  }

  /** @param month such as 2026-10. @throws BAD_REQUEST for one that has not begun. */
  async month(month: string): Promise<Required<Period>> {
    const values = [month, STATEMENT_TIMEZONE];
    const [read] = await this.database.query<{ start: Date; stop: Date; now: Date }>(READ_MONTH, values);
    if (!read) throw new Error('the month could not be read');
    if (read.start > read.now) {
      const message = `${month} has not begun in ${STATEMENT_TIMEZONE}: choose a month up to this one`;
      throw new AppError('BAD_REQUEST', message);
    }
    return { from: read.start, to: read.stop };
  }

  private async *pages(
    period: unknown[],
    { first, last }: Bounds,
    isForwards: boolean,
  ): AsyncGenerator<StatementRow[]> {
    if (first === null || last === null) return;
    for (let [low, high] = [first, last]; low <= high;) {
      const values = [...period, low, high, ROWS_AT_ONCE];
      const page = isForwards ? PAGE_FORWARDS : PAGE_BACKWARDS;
      const rows = await this.database.query<StatementRow>(page, values);
      const end = rows.at(-1);
      if (end) yield rows;
      if (!end || rows.length < ROWS_AT_ONCE) return;
      if (isForwards) low = end.id + 1n;
      else high = end.id - 1n;
    }
  }
}
