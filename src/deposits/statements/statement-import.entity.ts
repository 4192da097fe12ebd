import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Satang } from '../../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn } from '../../database/columns.js';
import { DepositChannel } from '../deposit-channel.entity.js';

/** A file of a bank statement that was imported. */
@Entity('statement_imports')
@Index('ix_statement_imports_channel', ['channel_id', 'id'])
@Check('ck_statement_imports_file', 'length(file_hash) = 32')
@Check('ck_statement_imports_lines', 'lines >= 0')
export class StatementImport {
  @IdColumn('integer', 'pk_statement_imports')
  id!: number;

  @ForeignKey(() => DepositChannel, { name: 'fk_statement_imports_channel' })
  @Column('integer')
  channel_id!: number;

  /** Only the hash of the file is kept. */
  @Column('bytea')
  file_hash!: Buffer;

  /** The number of lines in the file, known ones included. */
  @Column('integer')
  lines!: number;

  /** The balance before the first line; null without balances. */
  @Column(bigintColumn({ nullable: true }))
  opening!: Satang | null;

  @Column(bigintColumn({ nullable: true }))
  closing!: Satang | null;

  @Column('date', { nullable: true })
  first_on!: string | null;

  @Column('date', { nullable: true })
  last_on!: string | null;

  /** A day whose imported lines have other texts in the bank's later files, as the operator confirmed. */
  @Column('date', { nullable: true })
  texts_of!: string | null;

  @Column('text')
  operator!: string;

  @Column(createdAtColumn())
  created_at!: Date;
}
