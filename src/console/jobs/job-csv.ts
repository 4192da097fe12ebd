import type { CsvColumns } from '../../core/http/csv-answer.js';
import type { CsvCell } from '../../core/csv.js';
import type { Job, JobKind } from '../../operators/jobs/job.entity.js';
import type {
  AuditResultDto,
  DailyReportDto,
  MarginReportDto,
  ReplayResultDto,
  SupplierReportDto,
} from './job-results.dto.js';

type Line = Record<string, string | number | boolean | null>;
type Lines = object[];

/** The columns of each kind, in their order: PostgreSQL does not preserve the order of members in a JSON result. */
const COLUMNS: Record<JobKind, string> = {
  daily_report:
    'merchant_id name orders completed failed opening_amount credited_amount debited_amount spent_amount ' +
    'closing_amount ordered_amount refunded_amount opening_available_amount opening_held_amount ' +
    'closing_available_amount closing_held_amount',
  supplier_report:
    'supplier ok succeeded succeeded_amount failed open agreed difference_count unanswered unaskable open_cases ' +
    'problem balance_amount balance_currency given_up listed unreadable unknown surplus',
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

/** The columns of a job's result, and its lines. */
export function csvOf({ kind }: Pick<Job, 'kind'>, result: Result): { columns: CsvColumns<Line>; lines: Line[] } {
  const columns = columnsOf(kind, result).map((name) => [name, (line: Line) => toCell(line[name] ?? null)]);
  return { columns: Object.fromEntries(columns) as CsvColumns<Line>, lines: LINES[kind](result as never) as Line[] };
}

const toCell = (value: Line[string]): CsvCell => (typeof value === 'boolean' ? String(value) : (value ?? null));
