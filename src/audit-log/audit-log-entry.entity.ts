import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn } from '../database/columns.js';

/** One entry of the audit log. The database refuses to change it. */
@Entity('operator_actions')
@Index('ix_operator_actions_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Index('ix_operator_actions_created_at', ['created_at'])
@Index('ix_operator_actions_merchant', { synchronize: false })
@Index('ix_operator_actions_operator', ['operator', 'id'])
@Index('ix_operator_actions_action', ['action', 'id'])
@Index('ix_operator_actions_product', { synchronize: false })
@Index('ix_operator_actions_supplier', { synchronize: false })
@Index('uq_operator_actions_idempotency_key', ['operator_id', 'idempotency_key'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Check('ck_operator_actions_source', `source IN ('cli', 'console')`)
export class AuditLogEntry {
  @IdColumn('bigint', 'pk_operator_actions')
  id!: bigint;

  /** The operator's e-mail address in the console, or the name that the operator enters at the command line. */
  @Column('text')
  operator!: string;

  @ForeignKey('Operator', { name: 'fk_operator_actions_operator' })
  @Column('integer', { nullable: true })
  operator_id!: number | null;

  @Column('text', { default: 'cli' })
  source!: 'cli' | 'console';

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('text', { nullable: true })
  request_id!: string | null;

  /** Chosen by the page: a repeated request has the same key, and is not carried out again. */
  @Column('text', { nullable: true })
  idempotency_key!: string | null;

  @Column('text')
  action!: string;

  @ForeignKey('Merchant', { name: 'fk_operator_actions_merchant' })
  @Column('integer', { nullable: true })
  merchant_id!: number | null;

  @ForeignKey('Order', { name: 'fk_operator_actions_order' })
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  /** The facts of the action, named as in JSON: amounts are strings in baht. Must never hold a secret. */
  @Column('jsonb')
  detail!: Record<string, unknown>;

  @Column(createdAtColumn())
  created_at!: Date;
}
