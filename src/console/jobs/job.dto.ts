import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { meanings, Shown } from '../../core/http/answer.decorators.js';
import { Day, Moment, OneOf, Text, Timezone } from '../../core/validation/member.decorators.js';
import { JOB_KINDS, JOB_STATES, type JobKind } from '../../operators/jobs/job.entity.js';
import { GROUPINGS, type Grouping } from '../../accounting/reports/margin-report.service.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import {
  AuditResultDto,
  DailyReportDto,
  MarginReportDto,
  ReplayResultDto,
  SupplierReportDto,
} from './job-results.dto.js';

/** Kinds that `POST /api/jobs` starts. A replay has its own route. */
const REPORT_KINDS = ['daily_report', 'supplier_report', 'margin_report', 'audit'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** A kind of job with its members. A member of another kind is refused. */
export class StartJobDto {
  @OneOf(REPORT_KINDS, { example: 'daily_report' }) kind!: ReportKind;
  @Day({ optional: true, example: '2026-01-15', description: 'For a daily report: the day' }) date?: string;
  @Timezone({ optional: true, description: 'For a daily report: the time zone of the day' }) zone?: string;
  @Text(1, 128, { optional: true, description: 'For a supplier report: the supplier’s code; absent for all' })
  code?: string;
  @Moment({
    optional: true,
    description: 'For a supplier report: orders placed at or after this time; absent for the last 24 hours',
  })
  since?: string;
  @Day({ optional: true, example: '2026-01-01', description: 'For a margin report: the first day' }) from?: string;
  @Day({ optional: true, example: '2026-01-31', description: 'For a margin report: the last day' }) to?: string;
  @OneOf(GROUPINGS, { optional: true, description: 'For a margin report: the group of each row' }) by?: Grouping;
}

export class JobsQueryDto extends ListQueryDto {
  @OneOf(JOB_KINDS, { optional: true }) kind?: JobKind;
}

const STATES = {
  running: 'the work goes on',
  succeeded: 'the work is done; `ok` tells whether the check passed',
  failed: 'the work failed; `error` gives the reason',
  cancelled: 'an operator cancelled it, or its operator lost the permission for it',
  interrupted: 'its process ended, or lost its connection, before the work was done',
} satisfies Record<(typeof JOB_STATES)[number], string>;

export class JobOperatorDto {
  @Shown.text('nok@shop.example') email!: string;
  @Shown.text('Nok') name!: string;
}

export class JobProgressDto {
  @Shown.integer(3) done!: number;
  @Shown.nullableInteger(19, 'Null if the amount of work is unknown') total!: number | null;
  @Shown.nullableText('unit states', 'The current step') step!: string | null;
}

/** Work in the background. */
export class JobDto {
  @Shown.integer(12) id!: number;
  @Shown.oneOf(JOB_KINDS, 'audit') kind!: JobKind;
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    example: {},
    description: 'The parameters of the job',
  })
  params!: Record<string, string | number>;
  @Shown.oneOf(JOB_STATES, 'running', meanings('The state of the job', STATES)) state!: string;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: null,
    description: 'Whether the check passed; null if the job checks nothing, or has not ended',
  })
  ok!: boolean | null;
  @ApiProperty({ type: JobOperatorDto }) operator!: JobOperatorDto;
  @ApiProperty({ type: JobProgressDto }) progress!: JobProgressDto;
  @Shown.nullableText(null, 'Why the job did not succeed') error!: string | null;
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
    description: 'The result, by the kind of the job; null unless it succeeded',
  })
  result!: (typeof RESULTS)[number]['prototype'] | null;
}
