import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, createdAtColumn, timestampColumn } from '../../database/columns.js';

/**
 * How far a partition of orders is with being archived or brought back. Its files are `verified` while its orders are still in
 * their tables, `detached` once they are in none that anybody reads, and `dropped` once they are in the files only; `attached` is
 * one that is back, of which references are left to be removed.
 */
export type ArchiveState = 'begun' | 'verified' | 'detached' | 'dropped' | 'attached';

/** A partition of orders that was archived, or is being so. */
@Entity('archived_partitions')
@Check('ck_archived_partitions_state', `state IN ('begun', 'verified', 'detached', 'dropped', 'attached')`)
@Check('ck_archived_partitions_orders', 'orders >= 0')
@Check('ck_archived_partitions_ids', 'first_id < end_id')
@Check('ck_archived_partitions_manifest', `state = 'begun' OR manifest_hash IS NOT NULL`)
@Check('ck_archived_partitions_archived', `state NOT IN ('dropped', 'attached') OR archived_at IS NOT NULL`)
export class ArchivedPartition {
  /** As in the names of its tables. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_archived_partitions' })
  number!: number;

  /** Its ids begin here; null of the first partition, which has all before the next. */
  @Column(bigintColumn({ nullable: true }))
  first_id!: bigint | null;

  /** The first id that is not in it. */
  @Column(bigintColumn())
  end_id!: bigint;

  @Column('text')
  state!: ArchiveState;

  /** Where its files were written, on the machine that wrote them. */
  @Column('text')
  directory!: string;

  /** SHA-256 of the manifest, which has those of the files. */
  @Column('bytea', { nullable: true })
  manifest_hash!: Buffer | null;

  @Column(bigintColumn())
  orders!: bigint;

  /** What the files take. */
  @Column(bigintColumn({ nullable: true }))
  bytes!: bigint | null;

  /** How many of its orders lie in each closed month. */
  @Column('jsonb')
  months!: { month: string; orders: number }[];

  /** Suppliers that its orders and attempts name: without them it could not come back. */
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
