import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn } from '../database/columns.js';

/** One entry of the audit log. It is never changed. */
@Entity('operator_actions')
@Index('ix_operator_actions_order', ['order_id'], { where: 'order_id IS NOT NULL' })
@Index('ix_operator_actions_created_at', ['created_at'])
@Index('ix_operator_actions_merchant', { synchronize: false })
export class AuditLogEntry {
  @IdColumn('bigint', 'pk_operator_actions')
  id!: bigint;

  @Column('text')
  operator!: string;

  @Column('text')
  action!: string;

  @ForeignKey('Merchant', { name: 'fk_operator_actions_merchant' })
  @Column('integer', { nullable: true })
  merchant_id!: number | null;

  @ForeignKey('Order', { name: 'fk_operator_actions_order' })
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  /** What was done, in words of the wire: amounts are strings in baht. Never a secret. */
  @Column('jsonb')
  detail!: Record<string, unknown>;

  @Column(createdAtColumn())
  created_at!: Date;
}
