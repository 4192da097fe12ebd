import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker's heartbeat. */
@Entity('worker_processes')
export class WorkerProcess {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_worker_processes' })
  name!: string;

  @Column('timestamptz')
  seen_at!: Date;

  /** When a worker, this one or another, last noticed that the clock of the database was set forward. */
  @Column('timestamptz', { nullable: true })
  clock_set_forward_at!: Date | null;
}
