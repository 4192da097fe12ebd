import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

/** A stored API key: its SHA-256, and the few characters by which people recognize it. */
@Entity('api_keys')
@Unique('uq_api_keys_key_hash', ['key_hash'])
@Index('ix_api_keys_merchant', ['merchant_id'])
@Check('ck_api_keys_name', 'length(name) <= 128')
@Check('ck_api_keys_key_hash', 'length(key_hash) = 32')
export class ApiKey {
  @IdColumn('integer', 'pk_api_keys')
  id!: number;

  @ForeignKey(() => Merchant, { name: 'fk_api_keys_merchant' })
  @Column('integer')
  merchant_id!: number;

  @Column('text', { default: '' })
  name!: string;

  @Column('text')
  prefix!: string;

  @Column('bytea', { select: false })
  key_hash!: Buffer;

  /** Networks in CIDR notation that may use the key; empty for any. */
  @Column('text', { array: true, default: [] })
  allowed_networks!: string[];

  @Column(timestampColumn({ nullable: true }))
  expires_at!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  revoked_at!: Date | null;

  /** The hour of the last use, written with a short delay; null for a key without recorded use. */
  @Column(timestampColumn({ nullable: true }))
  last_used_at!: Date | null;

  @Column(createdAtColumn())
  created_at!: Date;
}
