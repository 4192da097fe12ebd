import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';

export const JOB_KINDS = ['replay', 'daily_report', 'supplier_report', 'margin_report', 'audit'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** `interrupted`: the job's process stopped, or lost its connection to the database, before the work was done. */
export const JOB_STATES = ['running', 'succeeded', 'failed', 'cancelled', 'interrupted'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A background job that an operator started, with its result. */
@Entity('console_jobs')
@Index('ix_console_jobs_kind', ['kind', 'id'])
@Index('uq_console_jobs_running', ['kind'], { unique: true, where: `state = 'running'` })
@Index('uq_console_jobs_idempotency_key', ['operator_id', 'idempotency_key'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Check('ck_console_jobs_state', `state IN ('running', 'succeeded', 'failed', 'cancelled', 'interrupted')`)
@Check('ck_console_jobs_ended', `(state = 'running') = (ended_at IS NULL)`)
export class Job {
  @IdColumn('integer', 'pk_console_jobs')
  id!: number;

  @Column('text')
  kind!: JobKind;

  /** The parameters, with their names in the API. */
  @Column('jsonb')
  params!: Record<string, unknown>;

  @Column('text', { default: 'running' })
  state!: JobState;

  @ForeignKey('Operator', { name: 'fk_console_jobs_operator' })
  @Column('integer')
  operator_id!: number;

  /** Sent by the browser: an operator's requests with the same key start one job. */
  @Column('text', { nullable: true })
  idempotency_key!: string | null;

  /** Whether an operator has cancelled the job. The job's process then ends it soon. */
  @Column('boolean', { default: false })
  cancel_asked!: boolean;

  @Column('integer', { default: 0 })
  done!: number;

  /** Null while the amount of work is unknown. */
  @Column('integer', { nullable: true })
  total!: number | null;

  /** The current step, in words. */
  @Column('text', { nullable: true })
  step!: string | null;

  /** Whether the check passed; null if the job checks nothing, or has not succeeded. */
  @Column('boolean', { nullable: true })
  ok!: boolean | null;

  /** The result as the API answers it. */
  @Column('jsonb', { nullable: true })
  result!: Record<string, unknown> | null;

  /** Why the job did not succeed, in words. */
  @Column('text', { nullable: true })
  error!: string | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(timestampColumn({ nullable: true }))
  ended_at!: Date | null;
}
