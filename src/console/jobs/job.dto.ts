import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { meanings, Shown } from '../../core/http/answer.decorators.js';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import { isDay } from '../../core/moments.js';
import type { PageQuery } from '../../core/pagination.js';
import {
  Moment,
  OneOf,
  Text,
  TextThat,
  Timezone,
  type MemberOptions,
} from '../../core/validation/member.decorators.js';
import { JOB_KINDS, JOB_STATES, type JobKind } from '../../operators/jobs/job.entity.js';
import { GROUPINGS, type Grouping } from '../../accounting/reports/margin-report.service.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import {
  AuditResultDto,
  DailyReportDto,
  MarginReportDto,
  ReplayResultDto,
  SupplierReportDto,
} from './job-results.dto.js';

/** Kinds that this route starts. A replay has its own route. */
export const REPORT_KINDS = ['daily_report', 'supplier_report', 'margin_report', 'audit'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

const Day = (options: MemberOptions): PropertyDecorator =>
  TextThat((value) => (isDay(value) ? null : 'must be a day such as 2026-01-15'), { format: 'date' }, options);

/** A kind of job with its members. A member of another kind is refused. */
export class StartJobDto {
  @OneOf(REPORT_KINDS, { example: 'daily_report' }) kind!: ReportKind;
  @Day({ optional: true, example: '2026-01-15', description: 'Of a daily report: its day' }) date?: string;
  @Timezone({ optional: true, description: 'Of a daily report: where the day begins' }) zone?: string;
  @Text(1, 128, { optional: true, description: 'Of a supplier report: one supplier’s code; else all' }) code?: string;
  @Moment({ optional: true, description: 'Of a supplier report: orders placed at or after; 24 hours ago' })
  since?: string;
  @Day({ optional: true, example: '2026-01-01', description: 'Of a margin report: the first day' }) from?: string;
  @Day({ optional: true, example: '2026-01-31', description: 'Of a margin report: the last day' }) to?: string;
  @OneOf(GROUPINGS, { optional: true, description: 'Of a margin report: one row for each' }) by?: Grouping;
}

export class JobsQueryDto implements PageQuery {
  @OneOf(JOB_KINDS, { optional: true }) kind?: JobKind;
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

const STATES = {
  running: 'it is at work',
  succeeded: 'it did what it was asked; `ok` says what it found',
  failed: 'it could not; `error` says why',
  cancelled: 'an operator ended it, or its operator may not do this any more',
  interrupted: 'its process ended before it did',
} satisfies Record<(typeof JOB_STATES)[number], string>;

export class JobOperatorDto {
  @Shown.text('nok@shop.example') email!: string;
  @Shown.text('Nok') name!: string;
}

export class JobProgressDto {
  @Shown.integer(3) done!: number;
  @Shown.nullableInteger(19, 'Null where nobody knows') total!: number | null;
  @Shown.nullableText('unit states', 'What it is at') step!: string | null;
}

/** Work in the background. */
export class JobDto {
  @Shown.integer(12) id!: number;
  @Shown.oneOf(JOB_KINDS, 'audit') kind!: JobKind;
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    example: {},
    description: 'What was asked for',
  })
  params!: Record<string, string | number>;
  @Shown.oneOf(JOB_STATES, 'running', meanings('How it stands', STATES)) state!: string;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: null,
    description: 'Whether what it looked at is in order; null where it looked at nothing, or has not ended',
  })
  ok!: boolean | null;
  @ApiProperty({ type: JobOperatorDto }) operator!: JobOperatorDto;
  @ApiProperty({ type: JobProgressDto }) progress!: JobProgressDto;
  @Shown.nullableText(null, 'Why it did not succeed') error!: string | null;
  @Shown.moment() started_at!: Date;
  @Shown.nullableMoment() ended_at!: Date | null;
}

const RESULTS = [AuditResultDto, DailyReportDto, MarginReportDto, ReplayResultDto, SupplierReportDto] as const;

/** A job with its result. */
@ApiExtraModels(...RESULTS)
export class JobDetailDto extends JobDto {
  @ApiProperty({
    oneOf: RESULTS.map((each) => ({ $ref: getSchemaPath(each) })),
    nullable: true,
    description: 'Of its kind; null unless it succeeded',
  })
  result!: (typeof RESULTS)[number]['prototype'] | null;
}
