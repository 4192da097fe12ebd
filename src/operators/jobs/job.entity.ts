import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';

/** What can be done in the background. */
export const JOB_KINDS = ['replay', 'daily_report', 'supplier_report', 'margin_report', 'audit'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** `interrupted` is one whose process ended before it did. */
export const JOB_STATES = ['running', 'succeeded', 'failed', 'cancelled', 'interrupted'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Something that an operator had done in the background, and what came of it. */
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

  /** What was asked for, in words of the wire. */
  @Column('jsonb')
  params!: Record<string, unknown>;

  @Column('text', { default: 'running' })
  state!: JobState;

  @ForeignKey('Operator', { name: 'fk_console_jobs_operator' })
  @Column('integer')
  operator_id!: number;

  /** What the operator's page calls the request that started it: under one name there is one job. */
  @Column('text', { nullable: true })
  idempotency_key!: string | null;

  /** Its process ends it soon after. */
  @Column('boolean', { default: false })
  cancel_asked!: boolean;

  @Column('integer', { default: 0 })
  done!: number;

  /** Null where nobody knows how much there is. */
  @Column('integer', { nullable: true })
  total!: number | null;

  /** What it is at. */
  @Column('text', { nullable: true })
  step!: string | null;

  /** Whether what it looked at is in order; null where it looked at nothing. */
  @Column('boolean', { nullable: true })
  ok!: boolean | null;

  /** As the API shows it. */
  @Column('jsonb', { nullable: true })
  result!: Record<string, unknown> | null;

  /** Why it did not succeed, in words. */
  @Column('text', { nullable: true })
  error!: string | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(timestampColumn({ nullable: true }))
  ended_at!: Date | null;
}
