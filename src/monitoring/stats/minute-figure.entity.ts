import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../../database/columns.js';

/** A new object for each column, because TypeORM changes it. */
const key = (): { primaryKeyConstraintName: string } => ({ primaryKeyConstraintName: 'pk_minute_figures' });

/** One count of one minute, summed over all processes; or the value of one level at a moment of that minute. */
@Entity('minute_figures')
@Index('ix_minute_figures_minute', ['minute'])
export class MinuteFigure {
  /** One of {@link STAT_KINDS}. */
  @PrimaryColumn('text', key())
  figure!: string;

  /** A supplier's code, or empty. */
  @PrimaryColumn('text', key())
  subject!: string;

  @PrimaryColumn(timestampColumn(key()))
  minute!: Date;

  /** For example an outcome, or the name of a level: see {@link STAT_KINDS}. */
  @PrimaryColumn('text', key())
  label!: string;

  /** The upper bound of a bucket of durations, in milliseconds; 0 for stats that are no durations. */
  @PrimaryColumn('integer', key())
  up_to_ms!: number;

  @Column(bigintColumn())
  value!: bigint;
}
