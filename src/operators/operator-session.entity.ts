import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Operator } from './operator.entity.js';

/** A session of an operator in a browser. */
@Entity('operator_sessions')
@Unique('uq_operator_sessions_id_hash', ['id_hash'])
@Index('ix_operator_sessions_operator', ['operator_id'])
export class OperatorSession {
  @IdColumn('integer', 'pk_operator_sessions')
  id!: number;

  /** SHA-256 of the session's identifier, which only the cookie has. */
  @Column('bytea')
  id_hash!: Buffer;

  @ForeignKey(() => Operator, { name: 'fk_operator_sessions_operator' })
  @Column('integer')
  operator_id!: number;

  /** Whether the code of the second factor is still missing. */
  @Column('boolean')
  awaits_code!: boolean;

  @Column('text')
  ip!: string;

  @Column('text')
  user_agent!: string;

  @Column(createdAtColumn())
  created_at!: Date;

  /**
   * The time of the last request, to half a minute. Requests that a page sends while the operator is idle do not count.
   */
  @Column(createdAtColumn())
  seen_at!: Date;

  @Column(timestampColumn())
  expires_at!: Date;

  /** The time of the operator's last proof of identity: by a code, a password or a recent company sign-in. */
  @Column(timestampColumn({ nullable: true }))
  confirmed_at!: Date | null;
}
