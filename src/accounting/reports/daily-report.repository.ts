import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Merchant } from '../../merchants/merchant.entity.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import type { Coverage } from './coverage.js';
import { READ_DAY, READ_DAY_OF_MERCHANTS } from './daily-report.sql.js';

/** Counts and sums of a day; amounts in satang. */
export interface DayFigures {
  /** Orders placed on the day. */
  orders: bigint;
  /** Completed and failed orders that ended on the day, regardless of the day on which they were placed. */
  completed: bigint;
  failed: bigint;
  opening_available: Satang;
  opening_held: Satang;
  credited: Satang;
  debited: Satang;
  /** Moved from available to held for new orders. */
  ordered: Satang;
  spent: Satang;
  /** Moved back from held to available. */
  refunded: Satang;
  closing_available: Satang;
  closing_held: Satang;
}

export type MerchantDay = DayFigures & Pick<Transfer, 'merchant_id'> & Pick<Merchant, 'name'>;

/** A merchant's day, with the available balance that the last line of its statement states at the end of the day. */
export type MerchantDayRow = MerchantDay & { last_available: Satang };

/** A calendar day in a time zone. */
export interface Day {
  start: Date;
  stop: Date;
  /** When the day was read. */
  now: Date;
}

@Injectable()
export class DailyReportRepository {
  constructor(private readonly database: Database) {}

  /** Reads the start and the end of a day in a time zone. */
  async readDay(date: string, timezone: string, source: Queryable = this.database): Promise<Day> {
    const [day] = await source.query<Day>(READ_DAY, [date, timezone]);
    return present(day, 'a day begins and ends');
  }

  listMerchantDays(tx: Queryable, { start, stop }: Day, { includeSandbox }: Coverage): Promise<MerchantDayRow[]> {
    return tx.query<MerchantDayRow>(withLongTimeout(READ_DAY_OF_MERCHANTS), [start, stop, includeSandbox]);
  }
}
