import { Check, Column, Entity } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';

/** An attempt to back up the database. `deploy/backup/backup.sh` writes this row, or a script of the operator. */
@Entity('backups')
@Check('ck_backups_completed', '(completed_at IS NULL) = (bytes IS NULL)')
export class Backup {
  @IdColumn('integer', 'pk_backups')
  id!: number;

  /** When the attempt began. The backup may lack changes after this moment. */
  @Column(createdAtColumn())
  started_at!: Date;

  /** Null until the whole backup was read back, and after a failure. */
  @Column(timestampColumn({ nullable: true }))
  completed_at!: Date | null;

  @Column(bigintColumn({ nullable: true }))
  bytes!: bigint | null;
}
