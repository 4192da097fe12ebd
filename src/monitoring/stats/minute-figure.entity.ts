import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../../database/columns.js';

/** A copy for each column: TypeORM writes into it. */
const key = (): { primaryKeyConstraintName: string } => ({ primaryKeyConstraintName: 'pk_minute_figures' });

/** What all processes together counted of something within a minute. */
@Entity('minute_figures')
@Index('ix_minute_figures_minute', ['minute'])
export class MinuteFigure {
  /** What is counted: one of {@link FIGURE_KINDS}. */
  @PrimaryColumn('text', key())
  figure!: string;

  /** A supplier's code; empty where it is about none. */
  @PrimaryColumn('text', key())
  subject!: string;

  @PrimaryColumn(timestampColumn(key()))
  minute!: Date;

  /** How it ended, or which level it is. */
  @PrimaryColumn('text', key())
  label!: string;

  /** Of durations: those of at most so many milliseconds, and more than the bucket before has. 0 for what has none. */
  @PrimaryColumn('integer', key())
  up_to_ms!: number;

  @Column(bigintColumn())
  value!: bigint;
}
