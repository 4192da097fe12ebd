import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../database/columns.js';
import { Operator } from './operator.entity.js';

/** Takes the place of a second factor's code, once. */
@Entity('operator_recovery_codes')
export class RecoveryCode {
  @ForeignKey(() => Operator, { name: 'fk_operator_recovery_codes_operator' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_operator_recovery_codes' })
  operator_id!: number;

  /** SHA-256 of the code. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_operator_recovery_codes' })
  code_hash!: Buffer;

  @Column(timestampColumn({ nullable: true }))
  used_at!: Date | null;
}
