import { Injectable } from '@nestjs/common';
import { ArchivedOrdersRepository, type ArchivedCoverage } from './archived-orders.repository.js';
import type { Coverage } from './coverage.js';
import { DailyReportService } from './daily-report.service.js';
import { MARGIN_TIMEZONE } from './margin-report.repository.js';

interface Days {
  /** Inclusive, as `to`. */
  from: string;
  to: string;
}

/** Counts paid orders that a report lacks because they are archived. */
@Injectable()
export class ArchivedOrdersService {
  constructor(
    private readonly days: DailyReportService,
    private readonly archived: ArchivedOrdersRepository,
  ) {}

  /** Orders that were placed or ended on these days, as the daily report counts. */
  async countOfDays(days: Days, timezone: string, coverage: Coverage): Promise<number> {
    const range = await this.days.readRange(days, timezone);
    return this.archived.count(range, ['order_hold', 'order_spend', 'order_refund'], coverage);
  }

  /** Orders with units sold on these days, as the margin report counts. */
  async countSold(days: Days, coverage: Coverage): Promise<number> {
    return this.archived.count(await this.days.readRange(days, MARGIN_TIMEZONE), ['order_spend'], coverage);
  }

  /** Orders placed since a time. */
  countPlacedSince(start: Date, coverage: ArchivedCoverage): Promise<number> {
    return this.archived.count({ start, stop: new Date() }, ['order_hold'], coverage);
  }
}
