import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

export type Account = 'funding' | 'available' | 'held' | 'spent';

/** The accounts of each kind of transfer: first the debited account, then the credited account. */
export const TRANSFER_ACCOUNTS = {
  credit: ['funding', 'available'],
  debit: ['available', 'funding'],
  order_hold: ['available', 'held'],
  order_spend: ['held', 'spent'],
  order_refund: ['held', 'available'],
} as const satisfies Record<string, [Account, Account]>;
type TransferKind = keyof typeof TRANSFER_ACCOUNTS;

const accounts = Object.entries(TRANSFER_ACCOUNTS).map(([kind, [from, to]]) => `('${kind}', '${from}', '${to}')`);

/** A movement of money between two accounts. Transfers are never changed or deleted. */
@Entity('transfers')
@Index('uq_transfers_order_kind', ['order_id', 'kind'], { unique: true, where: 'order_id IS NOT NULL' })
@Index('uq_transfers_reference', ['merchant_id', 'reference'], {
  unique: true,
  where: 'reference IS NOT NULL',
})
@Index('ix_transfers_statement', { synchronize: false })
@Check('ck_transfers_amount_positive', 'amount > 0')
@Check('ck_transfers_available_after', 'available_after >= 0')
@Check('ck_transfers_accounts', `(kind, debit_account, credit_account) IN (${accounts.join(', ')})`)
@Check(
  'ck_transfers_source',
  `(kind IN ('credit', 'debit')) = (reference IS NOT NULL) AND (kind IN ('credit', 'debit')) = (order_id IS NULL)`,
)
export class Transfer {
  @IdColumn('bigint', 'pk_transfers')
  id!: bigint;

  @ForeignKey(() => Merchant, { name: 'fk_transfers_merchant' })
  @Column('integer')
  merchant_id!: number;

  @Column('text')
  kind!: TransferKind;

  @Column('text')
  debit_account!: Account;

  @Column('text')
  credit_account!: Account;

  @Column(bigintColumn())
  amount!: Satang;

  /** The merchant's available balance after the transfer. */
  @Column(bigintColumn())
  available_after!: Satang;

  @ForeignKey('Order', { name: 'fk_transfers_order' })
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  /**
   * The reference of a credit or debit, unique per merchant. An operator chose it, or the service made it. Null for the
   * movements of an order.
   */
  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  /**
   * The operator who decided the credit or debit, or requested it if an approval was needed; `sandbox` if a sandbox
   * merchant credited itself. Null for the movements of an order, and for a payment that the service recognized.
   */
  @Column('text', { nullable: true })
  operator!: string | null;

  /** The operator who approved the credit or debit, if an approval was needed. */
  @Column('text', { nullable: true })
  approved_by!: string | null;

  @Column(createdAtColumn())
  created_at!: Date;
}
