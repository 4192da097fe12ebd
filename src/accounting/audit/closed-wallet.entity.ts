import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Satang } from '../../core/money.js';
import { bigintColumn } from '../../database/columns.js';
import { ClosedMonth } from './closed-month.entity.js';

/** A wallet's balances at the end of a closed month, and the sums of its movements until then. The database refuses changes. */
@Entity('closed_wallets')
@Check('ck_closed_wallets_available', 'available = credits - debits - holds + refunds AND available >= 0')
@Check('ck_closed_wallets_held', 'held = holds - spends - refunds AND held >= 0')
export class ClosedWallet {
  @ForeignKey(() => ClosedMonth, { name: 'fk_closed_wallets_month' })
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_closed_wallets' })
  month!: string;

  @ForeignKey('Merchant', { name: 'fk_closed_wallets_merchant' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_closed_wallets' })
  merchant_id!: number;

  @Column(bigintColumn())
  last_transfer_id!: bigint;

  @Column(bigintColumn())
  available!: Satang;

  @Column(bigintColumn())
  held!: Satang;

  @Column(bigintColumn())
  credits!: Satang;

  @Column(bigintColumn())
  debits!: Satang;

  @Column(bigintColumn())
  holds!: Satang;

  @Column(bigintColumn())
  spends!: Satang;

  @Column(bigintColumn())
  refunds!: Satang;
}
