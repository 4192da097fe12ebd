import { Injectable } from '@nestjs/common';
import type { Actor } from '../../audit-log/audit-log.js';
import { AuditService } from '../audit/audit.service.js';
import type { JobWork } from '../../operators/jobs/job-run.js';
import { ArchivedOrdersService } from '../reports/archived-orders.service.js';
import { LIVE_ONLY } from '../reports/coverage.js';
import { DailyReportService } from '../reports/daily-report.service.js';
import { MarginReportService, totalOf, type Grouping } from '../reports/margin-report.service.js';
import { toDailyLine, toMarginLine, toSupplierLine } from '../reports/report-lines.js';
import { SupplierReportService } from '../reports/supplier-report.service.js';
import type { Supplier } from '../../suppliers/supplier.entity.js';
import { WebhookReplayService, type Replayed } from '../../webhooks/webhook-replay.service.js';

/** The result of a job lists at most this many differences of each supplier. It also has the number of all of them. */
const MAX_DIFFERENCES = 1_000;

/** The work of each kind of job. It uses the same services as the command line, but on connections that only jobs use. */
@Injectable()
export class JobWorkService {
  constructor(
    private readonly days: DailyReportService,
    private readonly margins: MarginReportService,
    private readonly suppliers: SupplierReportService,
    private readonly archives: ArchivedOrdersService,
    private readonly audits: AuditService,
    private readonly replays: WebhookReplayService,
  ) {}

  daily(date: string, timezone: string): JobWork {
    return async () => {
      const { merchants, total, from, to, ...report } = await this.days.run(date, timezone);
      const lines = merchants.map(({ merchant_id, name, ...day }) => ({ merchant_id, name, ...toDailyLine(day) }));
      const times = { from: from.toISOString(), to: to.toISOString() };
      const archived = await this.archives.countOfDays({ from: date, to: date }, timezone, LIVE_ONLY);
      const whole = { total: toDailyLine(total), archived_orders: archived };
      const result = { ...report, ...times, merchants: lines, ...whole };
      return { ok: report.differences.length === 0, result };
    };
  }

  margin(range: { from: string; to: string }, by: Grouping): JobWork {
    return async () => {
      const rows = await this.margins.run(range, by);
      const lines = rows.map((row) => ({ about: row.about, ...toMarginLine(row) }));
      const total = toMarginLine(totalOf(rows));
      const archived = await this.archives.countSold(range, LIVE_ONLY);
      return { ok: null, result: { by, rows: lines, total, archived_orders: archived } };
    };
  }

  supplier(suppliers: Supplier[], since: Date): JobWork {
    return async ({ report }) => {
      const compared = [];
      for (const each of suppliers) {
        const { differences, ...line } = toSupplierLine(await this.suppliers.compare(each, since, report));
        const shown = differences.slice(0, MAX_DIFFERENCES);
        compared.push({ ...line, difference_count: differences.length, differences: shown });
      }
      const [only, ...others] = suppliers;
      const archived = await this.archives.countPlacedSince(since, {
        ...LIVE_ONLY,
        supplierId: others.length === 0 ? only?.id : undefined,
      });
      return {
        ok: compared.every(({ ok }) => ok),
        result: { since: since.toISOString(), suppliers: compared, archived_orders: archived },
      };
    };
  }

  audit(): JobWork {
    return async ({ report }) => {
      const { checks, coverage } = await this.audits.run({ onProgress: report });
      const { closed } = coverage;
      return {
        ok: checks.every(({ ok }) => ok),
        result: {
          checks,
          checked_orders: Number(coverage.orders),
          closed_through: closed?.through ?? null,
          closed_orders: Number(closed?.orders ?? 0),
          last_closed_at: closed?.lastClosedAt.toISOString() ?? null,
        },
      };
    };
  }

  /** @param count how many deliveries match, and at most how many it retries. */
  replay(replayed: Replayed, by: Actor, count: number): JobWork {
    return async ({ report, assertMay }) => {
      report(0, count);
      const done = await this.replays.replay(replayed, count, {
        by,
        beforeBatch: assertMay,
        onProgress: (sofar) => report(sofar, count),
      });
      return { ok: null, result: { replayed: done } };
    };
  }
}
