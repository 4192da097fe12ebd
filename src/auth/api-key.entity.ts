import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An API key as it is kept: its SHA-256 only, beside the few characters that a person recognizes it by. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('integer', { name: 'merchant_id' })
  merchantId!: number;

  @Column('text')
  name!: string;

  @Column('text')
  prefix!: string;

  @Column({ type: 'bytea', name: 'key_hash', select: false })
  keyHash!: Buffer;

  /** Networks in CIDR notation that may use the key; empty for any. */
  @Column({ type: 'text', name: 'allowed_networks', array: true })
  allowedNetworks!: string[];

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
