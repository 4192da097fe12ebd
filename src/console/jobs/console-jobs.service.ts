import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { AuditedAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { DAY_MS } from '../../core/durations.js';
import { AppError, invalidRequest, notFound, type ErrorDetail } from '../../core/errors.js';
import { answerCsv } from '../../core/http/csv-answer.js';
import { withoutUndefined, pick } from '../../core/members.js';
import { checkedMoment } from '../../core/moments.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { JOB_KINDS, type Job, type JobKind } from '../../operators/jobs/job.entity.js';
import { JobRunner } from '../../operators/jobs/job-runner.js';
import type { JobRequest, JobWork } from '../../operators/jobs/job-run.js';
import { JobsRepository, type JobRow } from '../../operators/jobs/jobs.repository.js';
import type { Permission } from '../../operators/roles.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Replayed } from '../../webhooks/webhook-replay.service.js';
import type { Caller } from '../access/caller.js';
import { assertMay } from '../access/permission.js';
import { logExport } from '../export-log.js';
import { newestFirst } from '../lists.js';
import { JobWorkService } from '../../accounting/jobs/job-work.service.js';
import { csvOf } from './job-csv.js';
import type { JobDetailDto, JobDto, JobsQueryDto, ReportKind, StartJobDto } from './job.dto.js';

/** The permissions to start and end a job of each kind, and to see its result. */
const PERMISSIONS: Record<JobKind, { run: Permission; read: Permission }> = {
  replay: { run: 'webhooks.replay', read: 'webhooks.read' },
  daily_report: { run: 'reports.run', read: 'reports.read' },
  supplier_report: { run: 'reports.run', read: 'reports.read' },
  margin_report: { run: 'reports.run', read: 'reports.read' },
  audit: { run: 'audit.run', read: 'audit.run' },
};

type Members = Omit<StartJobDto, 'kind'>;
/** The required and the optional members of each kind. */
const MEMBERS: Record<ReportKind, { needed: (keyof Members)[]; optional: (keyof Members)[] }> = {
  daily_report: { needed: ['date'], optional: ['zone'] },
  supplier_report: { needed: [], optional: ['code', 'since'] },
  margin_report: { needed: ['from', 'to', 'by'], optional: [] },
  audit: { needed: [], optional: [] },
};

/** The work of a job, with its parameters as PostgreSQL stores them. */
interface Prepared {
  params: Record<string, string>;
  /** Names of parameters that depend on the time of the request. */
  timeDependent?: readonly string[];
  work: JobWork;
}

/** A job that the caller wants to start. */
type JobContent = Omit<JobRequest, 'operatorId' | 'permission'>;

const requestOf = (caller: Caller, content: JobContent): JobRequest => ({
  ...content,
  operatorId: caller.id,
  permission: PERMISSIONS[content.kind].run,
});

/** Starts, lists and cancels background jobs. */
@Injectable()
export class ConsoleJobsService {
  constructor(
    private readonly runner: JobRunner,
    private readonly jobs: JobsRepository,
    private readonly works: JobWorkService,
    private readonly suppliers: SuppliersService,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @throws FORBIDDEN; BAD_REQUEST; NOT_FOUND for a supplier; CONFLICT for the key of another request, or while another
   * job of the kind or of this process runs.
   */
  async start(caller: Caller, key: string | undefined, { kind, ...members }: StartJobDto): Promise<JobDto> {
    this.assertMayRun(caller, kind);
    assertFits(kind, members);
    const { work, ...prepared } = await this.prepare(kind, members);
    const action: AuditedAction = kind === 'audit' ? 'audit.run' : 'report.run';
    const detail = kind === 'audit' ? {} : { report: kind.replace('_report', ''), ...prepared.params };
    const entry = { by: caller.actor(), record: { action, detail } };
    return this.begin(caller, { kind, ...prepared, idempotencyKey: key, entry }, work);
  }

  /** Starts a replay, which records each of its batches in the audit log. @throws CONFLICT as {@link start}. */
  startReplay(
    caller: Caller,
    content: JobContent & { kind: 'replay' },
    replayed: Replayed,
    count: number,
  ): Promise<JobDto> {
    return this.begin(caller, content, this.works.replay(replayed, caller.actor(), count));
  }

  /** Returns the job that the same request started earlier, or null. @throws CONFLICT for the key of another request. */
  async startedBefore(caller: Caller, content: JobContent): Promise<JobDto | null> {
    const id = await this.runner.findStarted(requestOf(caller, content));
    return id === null ? null : toJobDto(await this.get(caller, id));
  }

  /** Lists jobs of the kinds that the caller may see. @throws FORBIDDEN for another kind. */
  async list(caller: Caller, { kind, ...page }: JobsQueryDto): Promise<Page<JobDto>> {
    if (kind) this.assertMayRead(caller, kind);
    const kinds = kind ? [kind] : JOB_KINDS.filter((each) => caller.may(PERMISSIONS[each].read));
    await this.jobs.markInterrupted();
    return newestFirst(page, (before, limit) => this.jobs.list([...kinds], before, limit), toJobDto);
  }

  async show(caller: Caller, id: number): Promise<JobDetailDto> {
    return toJobDetailDto(await this.get(caller, id));
  }

  /** @throws NOT_FOUND; FORBIDDEN; CONFLICT for a job that has no result. */
  async export(caller: Caller, id: number, response: Response): Promise<void> {
    const job = await this.get(caller, id);
    if (job.result === null) throw new AppError('CONFLICT', 'The job has no result');
    const { columns, lines } = csvOf(job, job.result);
    await answerCsv(response, `${job.kind}-${id}.csv`, columns, Readable.from([lines]), (count) =>
      logExport(this.database, caller, { list: job.kind, filter: job.params, lines: count }),
    );
  }

  /**
   * Requests the end of a job. Its process cancels running statements within two seconds, but does not interrupt calls
   * to suppliers, or the reading of a supplier's list.
   * @throws NOT_FOUND; FORBIDDEN; CONFLICT if the job has ended or was cancelled.
   */
  async cancel(caller: Caller, id: number): Promise<JobDetailDto> {
    const { kind } = await this.get(caller, id);
    this.assertMayRun(caller, kind);
    await this.runner.cancel(id, caller.actor());
    return this.show(caller, id);
  }

  /** @throws NOT_FOUND; FORBIDDEN for a kind that the caller may not see. */
  async get(caller: Caller, id: number): Promise<JobRow & Pick<Job, 'result'>> {
    await this.jobs.markInterrupted();
    const job = await this.jobs.find(id);
    if (!job) throw notFound('job');
    this.assertMayRead(caller, job.kind);
    return job;
  }

  private async begin(caller: Caller, content: JobContent, work: JobWork): Promise<JobDto> {
    const id = await this.runner.startOnce(requestOf(caller, content), work);
    return toJobDto(await this.get(caller, id));
  }

  private assertMayRun(caller: Caller, kind: JobKind): void {
    assertMay(caller, PERMISSIONS[kind].run, this.config);
  }

  private assertMayRead(caller: Caller, kind: JobKind): void {
    assertMay(caller, PERMISSIONS[kind].read, this.config);
  }

  private async prepare(kind: ReportKind, members: Members): Promise<Prepared> {
    const { date = '', zone = this.config.console.timezone, from = '', to = '', by = 'sku' } = members;
    switch (kind) {
      case 'daily_report':
        return { params: { date, zone }, work: this.works.daily(date, zone) };
      case 'margin_report':
        return { params: { from, to, by }, work: this.works.margin({ from, to }, by) };
      case 'supplier_report':
        return this.prepareSupplier(members);
      case 'audit':
        return { params: {}, work: this.works.audit() };
    }
  }

  private async prepareSupplier({ code, since: text }: Members): Promise<Prepared> {
    const since = text === undefined ? new Date(Date.now() - DAY_MS) : checkedMoment(text);
    const suppliers = code === undefined ? await this.suppliers.list() : [await this.suppliers.getByCode(code)];
    const params = { ...withoutUndefined({ code }), since: since.toISOString() };
    const timeDependent = text === undefined ? ['since'] : [];
    return { params, timeDependent, work: this.works.supplier(suppliers, since) };
  }
}

/** @throws BAD_REQUEST for a missing member, or a member of another kind. */
function assertFits(kind: ReportKind, members: Members): void {
  const { needed, optional } = MEMBERS[kind];
  const missing = needed
    .filter((name) => members[name] === undefined)
    .map((name): ErrorDetail => ({ field: name, code: 'REQUIRED', message: `${name} is required` }));
  const known: string[] = [...needed, ...optional];
  const unknown = Object.entries(members)
    .filter(([name, value]) => value !== undefined && !known.includes(name))
    .map(([name]): ErrorDetail => ({
      field: name,
      code: 'UNKNOWN_MEMBER',
      message: `a job of the kind ${kind} has no ${name}`,
    }));
  const [first, ...others] = [...missing, ...unknown];
  if (first) throw invalidRequest([first, ...others]);
}

const toJobDto = (job: JobRow): JobDto => ({
  ...pick(job, 'id', 'kind', 'state', 'ok', 'error', 'ended_at'),
  params: job.params as JobDto['params'],
  operator: { email: job.operator, name: job.operator_name },
  progress: pick(job, 'done', 'total', 'step'),
  started_at: job.created_at,
});

const toJobDetailDto = (job: JobRow & Pick<Job, 'result'>): JobDetailDto => ({
  ...toJobDto(job),
  result: job.result as JobDetailDto['result'],
});
