import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker's heartbeat. */
@Entity('worker_processes')
export class WorkerProcess {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_worker_processes' })
  name!: string;

  @Column('timestamptz')
  seen_at!: Date;

  /** When any worker, not only this one, last noticed that the database's clock was set forward. */
  @Column('timestamptz', { nullable: true })
  clock_set_forward_at!: Date | null;
}
