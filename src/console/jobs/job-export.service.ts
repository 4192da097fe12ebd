import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { answerCsv, type CsvColumns } from '../../core/http/csv-answer.js';
import type { CsvCell } from '../../core/csv.js';
import { AppError } from '../../core/errors.js';
import { Database } from '../../database/database.js';
import type { JobKind } from '../../operators/jobs/job.entity.js';
import type { Caller } from '../access/caller.js';
import { logExport } from '../export-log.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import type {
  AuditResultDto,
  DailyReportDto,
  MarginReportDto,
  ReplayResultDto,
  SupplierReportDto,
} from './job-results.dto.js';

type Line = Record<string, string | number | boolean | null>;
type Lines = object[];

/** The columns of each kind, in order: PostgreSQL does not keep the order of members in a JSON result. */
const COLUMNS: Record<JobKind, string> = {
  daily_report:
    'merchant_id name orders completed failed opening_amount credited_amount debited_amount spent_amount ' +
    'closing_amount ordered_amount refunded_amount opening_available_amount opening_held_amount ' +
    'closing_available_amount closing_held_amount',
  supplier_report:
    'supplier ok succeeded succeeded_amount failed open agreed difference_count unanswered unaskable open_cases ' +
    'problem balance_amount balance_currency',
  margin_report:
    'units revenue cost margin margin_percent cost_estimated_units cost_unknown_units cost_unknown_revenue',
  audit: 'name ok detail',
  replay: 'replayed',
};

type Result = Record<string, unknown>;

/** The first column of a margin report names the group of each row. */
const columnsOf = (kind: JobKind, { by }: Result): string[] =>
  `${kind === 'margin_report' ? `${String(by)} ` : ''}${COLUMNS[kind]}`.split(' ');

/** The lines of each kind of result. A daily report ends with the total of all merchants. */
const LINES: Record<JobKind, (result: never) => Lines> = {
  daily_report: ({ merchants, total }: DailyReportDto) => [...merchants, { name: 'total', ...total }],
  margin_report: ({ by, rows }: MarginReportDto) => rows.map((row) => ({ ...row, [by]: row.about })),
  supplier_report: ({ suppliers }: SupplierReportDto) => suppliers,
  audit: ({ checks }: AuditResultDto) => checks,
  replay: (result: ReplayResultDto) => [result],
};

/** Results of jobs as CSV. */
@Injectable()
export class JobExportService {
  constructor(
    private readonly jobs: ConsoleJobsService,
    private readonly database: Database,
  ) {}

  /** @throws NOT_FOUND; FORBIDDEN; CONFLICT for a job that has no result. */
  async write(caller: Caller, id: number, response: Response): Promise<void> {
    const { kind, params, result } = await this.jobs.get(caller, id);
    if (result === null) throw new AppError('CONFLICT', 'The job has no result');
    const lines = LINES[kind](result as never);
    const columns = columnsOf(kind, result).map((name) => [name, (line: Line) => toCell(line[name] ?? null)]);
    const name = `${kind}-${id}.csv`;
    await answerCsv(response, name, Object.fromEntries(columns) as CsvColumns<Line>, Readable.from([lines]), (count) =>
      logExport(this.database, caller, { list: kind, filter: params, lines: count }),
    );
  }
}

const toCell = (value: Line[string]): CsvCell => (typeof value === 'boolean' ? String(value) : (value ?? null));
