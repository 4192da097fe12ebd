import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

export const ADAPTERS = ['http'] as const;
export type Adapter = (typeof ADAPTERS)[number];

@Entity('suppliers')
export class Supplier {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  code!: string;

  @Column('text')
  adapter!: Adapter;

  @Column('text', { name: 'base_url' })
  baseUrl!: string;

  /** The bearer token, encrypted; null where the supplier has none. */
  @Column({ type: 'bytea', name: 'token_sealed', nullable: true })
  tokenSealed!: Buffer | null;

  @Column('integer', { name: 'timeout_ms' })
  timeoutMs!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
