import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn, createdAtColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

/** A merchant's two balances. The transfers into and out of a balance add up to it. */
@Entity('wallets')
@Check('ck_wallets_available_not_negative', 'available >= 0')
@Check('ck_wallets_held_not_negative', 'held >= 0')
@Check('ck_wallets_alert_below', 'alert_below > 0')
export class Wallet {
  @ForeignKey(() => Merchant, { name: 'fk_wallets_merchant' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_wallets' })
  merchant_id!: number;

  @Column(bigintColumn({ default: 0 }))
  available!: Satang;

  /** The total of the open orders: an order's money stays here until the whole order ends. */
  @Column(bigintColumn({ default: 0 }))
  held!: Satang;

  /**
   * A movement that takes the available balance below this threshold records a `wallet.low_balance` event. Null without
   * an alert.
   */
  @Column(bigintColumn({ nullable: true }))
  alert_below!: Satang | null;

  @Column(createdAtColumn())
  updated_at!: Date;
}
