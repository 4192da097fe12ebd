import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../core/durations.js';
import { AppError } from '../../core/errors.js';
import { formatBaht, type Satang } from '../../core/money.js';
import type { Transaction } from '../../database/database.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inSnapshot } from '../../database/snapshot.js';
import { LIVE_ONLY, type Coverage } from './coverage.js';
import {
  DailyReportRepository,
  type Day,
  type DayFigures,
  type MerchantDay,
  type MerchantDayRow,
} from './daily-report.repository.js';

export type { DayFigures, MerchantDay } from './daily-report.repository.js';

export interface DailyReport {
  date: string;
  timezone: string;
  from: Date;
  /** Exclusive. */
  to: Date;
  merchants: MerchantDay[];
  total: DayFigures;
  /** Differences in words; empty if the books add up. */
  differences: string[];
}

/** Reports a day by merchant, and checks that the day's movements lead from the opening to the closing balances. */
@Injectable()
export class DailyReportService {
  constructor(
    private readonly reads: ReplicaReadsService,
    private readonly days: DailyReportRepository,
  ) {}

  /**
   * @param date such as 2026-01-15.
   * @param timezone such as Asia/Bangkok.
   * @throws BAD_REQUEST for a day that has not begun.
   */
  run(date: string, timezone: string, coverage = LIVE_ONLY): Promise<DailyReport> {
    return inSnapshot(this.reads, async (tx) => {
      const day = await this.readDay(date, timezone, tx);
      const rows = await this.days.listMerchantDays(tx, day, coverage);
      return {
        date,
        timezone,
        from: day.start,
        to: day.stop,
        merchants: rows.map(({ last_available: _last, ...merchant }) => merchant),
        total: rows.reduce(add, NOTHING),
        differences: rows.flatMap(findDifferences),
      };
    });
  }

  /**
   * Yields the report of each day, both ends included. Reads a report when the caller requests it, in its own snapshot.
   * @throws BAD_REQUEST at once, if `to` is before `from` or has not begun.
   */
  async runAll(
    { from, to }: { from: string; to: string },
    timezone: string,
    coverage = LIVE_ONLY,
  ): Promise<AsyncGenerator<DailyReport>> {
    await this.readRange({ from, to }, timezone);
    return this.runEach({ from, to }, timezone, coverage);
  }

  /**
   * Reads the start of the first day and the end of the last one, which is exclusive.
   * @throws BAD_REQUEST if `to` is before `from` or has not begun.
   */
  async readRange({ from, to }: { from: string; to: string }, timezone: string): Promise<{ start: Date; stop: Date }> {
    if (from > to) throw new AppError('BAD_REQUEST', `${from} is after ${to}: name the earlier day first`);
    const { stop } = await this.readDay(to, timezone);
    const { start } = await this.readDay(from, timezone);
    return { start, stop };
  }

  private async *runEach(
    { from, to }: { from: string; to: string },
    timezone: string,
    coverage: Coverage,
  ): AsyncGenerator<DailyReport> {
    for (let date = from; date <= to; date = nextDay(date)) yield await this.run(date, timezone, coverage);
  }

  /** @throws BAD_REQUEST for a day that has not begun. */
  private async readDay(date: string, timezone: string, tx?: Transaction): Promise<Day> {
    const day = await this.days.readDay(date, timezone, tx);
    if (day.start <= day.now) return day;
    throw new AppError('BAD_REQUEST', `${date} has not begun in ${timezone}: choose a day up to today`);
  }
}

/** Adds 24 hours in UTC, where no clock changes. In other time zones, a day may have 23 or 25 hours. */
const nextDay = (date: string): string => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);

/** A day without orders and movements. */
export const NOTHING: DayFigures = {
  orders: 0n,
  completed: 0n,
  failed: 0n,
  opening_available: 0n,
  opening_held: 0n,
  credited: 0n,
  debited: 0n,
  ordered: 0n,
  spent: 0n,
  refunded: 0n,
  closing_available: 0n,
  closing_held: 0n,
};

const FIGURES = Object.keys(NOTHING) as (keyof DayFigures)[];

const add = (sum: DayFigures, day: DayFigures): DayFigures =>
  Object.fromEntries(FIGURES.map((name) => [name, sum[name] + day[name]])) as unknown as DayFigures;

/** For both balances, closing must equal opening + movements. The balance after the day's last entry must equal the
 * closing balance. */
function findDifferences(day: MerchantDayRow): string[] {
  const available = day.opening_available + day.credited + day.refunded - day.debited - day.ordered;
  const held = day.opening_held + day.ordered - day.spent - day.refunded;
  const compared: [string, Satang, Satang][] = [
    ['available: the opening balance and the day’s movements give', available, day.closing_available],
    ['held: the opening balance and the day’s movements give', held, day.closing_held],
    ['available: the last entry leaves', day.last_available, day.closing_available],
  ];
  return compared
    .filter(([, expected, closing]) => expected !== closing)
    .map(
      ([what, expected, closing]) =>
        `merchant ${day.merchant_id}, ${what} ${formatBaht(expected)}, but the closing balance is ${formatBaht(closing)}`,
    );
}
