import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker that lives, as far as is known. */
@Entity('worker_processes')
export class WorkerProcess {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_worker_processes' })
  name!: string;

  @Column('timestamptz')
  seen_at!: Date;

  /** When this worker, or one before it that it heard of, noticed that the clock of the database was set forward. */
  @Column('timestamptz', { nullable: true })
  clock_set_forward_at!: Date | null;
}
