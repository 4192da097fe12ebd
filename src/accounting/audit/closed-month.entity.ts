import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../../database/columns.js';

/**
 * A closed month of Asia/Bangkok. Its rows are a range of ids in each table, `after` excluded and `through` included, because ids
 * never change and follow the time closely. The database refuses to change a closed month.
 */
@Entity('closed_months')
@Check('ck_closed_months_month', `month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'`)
@Check('ck_closed_months_orders', 'orders_after <= orders_through AND orders >= 0')
@Check('ck_closed_months_transfers', 'transfers_after <= transfers_through AND transfers >= 0')
@Check('ck_closed_months_deliveries', 'deliveries_after <= deliveries_through AND deliveries >= 0')
export class ClosedMonth {
  /** Such as 2026-10. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_closed_months' })
  month!: string;

  @Column(bigintColumn())
  orders_after!: bigint;

  @Column(bigintColumn())
  orders_through!: bigint;

  /** The number of orders. */
  @Column(bigintColumn())
  orders!: bigint;

  @Column(bigintColumn())
  transfers_after!: bigint;

  @Column(bigintColumn())
  transfers_through!: bigint;

  @Column(bigintColumn())
  transfers!: bigint;

  @Column(bigintColumn())
  deliveries_after!: bigint;

  @Column(bigintColumn())
  deliveries_through!: bigint;

  @Column(bigintColumn())
  deliveries!: bigint;

  /** Orders of this and earlier months that were open at the closing. Each audit checks these orders again. */
  @Column('bigint', { array: true })
  left_open!: bigint[];

  /** The number of wallets with movements until the end of the month. */
  @Column('integer')
  wallets!: number;

  /** The checks of the month, with their results in words. */
  @Column('json')
  checks!: { name: string; detail: string }[];

  /** The version of the service that closed the month. */
  @Column('text')
  version!: string;

  @Column('text')
  closed_by!: string;

  @Column(timestampColumn())
  closed_at!: Date;

  /** The hash of the month before; null for the first. */
  @Column('bytea', { nullable: true })
  previous_hash!: Buffer | null;

  /** SHA-256 of the closing, its wallets and `previous_hash`. */
  @Column('bytea')
  hash!: Buffer;
}

/** The lock for closing months, in one row. No worker acquires it before `next_at`. */
@Entity('month_closing_turn')
@Check('ck_month_closing_turn_only_row', 'only_row')
export class MonthClosingTurn {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'pk_month_closing_turn' })
  only_row!: true;

  @Column('timestamptz')
  next_at!: Date;
}
