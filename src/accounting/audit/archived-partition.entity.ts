import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, createdAtColumn, timestampColumn } from '../../database/columns.js';

/**
 * How far a partition of orders is archived or restored.
 * - `begun`: the files are being written.
 * - `verified`: the files were written and checked; the orders are still in their tables.
 * - `detached`: the orders are in tables that the service does not read.
 * - `dropped`: only the files have the orders, and `order_references` a part of them.
 * - `attached`: the orders are in their tables again; `order_references` and `archived_purchases` may still have rows of them.
 */
export type ArchiveState = 'begun' | 'verified' | 'detached' | 'dropped' | 'attached';

/** A partition of orders that is archived, being archived or being restored. */
@Entity('archived_partitions')
@Check('ck_archived_partitions_state', `state IN ('begun', 'verified', 'detached', 'dropped', 'attached')`)
@Check('ck_archived_partitions_orders', 'orders >= 0')
@Check('ck_archived_partitions_ids', 'first_id < end_id')
@Check('ck_archived_partitions_manifest', `state = 'begun' OR manifest_hash IS NOT NULL`)
@Check('ck_archived_partitions_archived', `state NOT IN ('dropped', 'attached') OR archived_at IS NOT NULL`)
export class ArchivedPartition {
  /** The number in the names of its tables. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_archived_partitions' })
  number!: number;

  /** The first order id; null for the first partition, which has no lower bound. */
  @Column(bigintColumn({ nullable: true }))
  first_id!: bigint | null;

  /** Exclusive. */
  @Column(bigintColumn())
  end_id!: bigint;

  @Column('text')
  state!: ArchiveState;

  /** The directory of its files, on the machine that wrote them. */
  @Column('text')
  directory!: string;

  /** SHA-256 of the manifest, which has the hashes of all files. */
  @Column('bytea', { nullable: true })
  manifest_hash!: Buffer | null;

  @Column(bigintColumn())
  orders!: bigint;

  /** The size of the files. */
  @Column(bigintColumn({ nullable: true }))
  bytes!: bigint | null;

  /** The number of orders in each closed month. */
  @Column('jsonb')
  months!: { month: string; orders: number }[];

  /** Suppliers to which the partition's items, units and attempts refer. A restore needs these suppliers. */
  @Column('integer', { array: true })
  supplier_ids!: number[];

  @Column('text')
  archived_by!: string;

  @Column(createdAtColumn())
  begun_at!: Date;

  /** When its tables were dropped. */
  @Column(timestampColumn({ nullable: true }))
  archived_at!: Date | null;
}
