import { Injectable } from '@nestjs/common';
import { ArchivedOrdersRepository, type ArchivedCoverage } from './archived-orders.repository.js';
import type { Coverage } from './coverage.js';
import { DailyReportService } from './daily-report.service.js';
import { MARGIN_TIMEZONE } from './margin-report.repository.js';

interface Days {
  /** Both included. */
  from: string;
  to: string;
}

/** How many orders that merchants paid for a report does not have, because they are archived. */
@Injectable()
export class ArchivedOrdersService {
  constructor(
    private readonly days: DailyReportService,
    private readonly archived: ArchivedOrdersRepository,
  ) {}

  /** Placed or ended on these days, as the daily report counts orders. */
  async countOfDays(days: Days, timezone: string, coverage: Coverage): Promise<number> {
    const range = await this.days.readRange(days, timezone);
    return this.archived.count(range, ['order_hold', 'order_spend', 'order_refund'], coverage);
  }

  /** Sold on these days, as the report of margins counts units. */
  async countSold(days: Days, coverage: Coverage): Promise<number> {
    return this.archived.count(await this.days.readRange(days, MARGIN_TIMEZONE), ['order_spend'], coverage);
  }

  /** Placed since a moment. */
  countPlacedSince(start: Date, coverage: ArchivedCoverage): Promise<number> {
    return this.archived.count({ start, stop: new Date() }, ['order_hold'], coverage);
  }
}
