import { Injectable } from '@nestjs/common';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inSnapshot } from '../../database/snapshot.js';
import { DailyReportService } from './daily-report.service.js';
import { DepositsReportRepository, type DepositsGrouping, type DepositsRow } from './deposits-report.repository.js';
import { MARGIN_TIMEZONE } from './margin-report.repository.js';

export { DEPOSITS_GROUPINGS, type DepositsGrouping, type DepositsRow } from './deposits-report.repository.js';

/** Reports incoming payments. */
@Injectable()
export class DepositsReportService {
  constructor(
    private readonly reads: ReplicaReadsService,
    private readonly days: DailyReportService,
    private readonly deposits: DepositsReportRepository,
  ) {}

  /**
   * @param range days such as 2026-01-15, both included.
   * @throws BAD_REQUEST if the range ends before it begins or with a day that has not begun.
   */
  async run(range: { from: string; to: string }, by: DepositsGrouping, channel?: string): Promise<DepositsRow[]> {
    const moments = await this.days.readRange(range, MARGIN_TIMEZONE);
    return inSnapshot(this.reads, (tx) => this.deposits.list(tx, by, moments, channel ?? null));
  }
}
