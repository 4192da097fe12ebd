import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker that lives, as far as is known. */
@Entity('worker_processes')
export class WorkerProcess {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_worker_processes' })
  name!: string;

  @Column('timestamptz')
  seen_at!: Date;
}
