import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Satang } from '../../core/money.js';
import { placeOf, type Place } from '../../core/secret-box.js';
import { bigintColumn, IdColumn, timestampColumn } from '../../database/columns.js';
import { DepositChannel } from '../deposit-channel.entity.js';
import { StatementImport } from './statement-import.entity.js';

/** Where a line's sealed text belongs. The identity stands for the id, which does not exist yet when the text is sealed. */
export const lineTextPlace = (identity: string): Place => placeOf('statement_lines.text_sealed', identity);

/** A line of a bank statement. In the order of ids, each balance of a channel follows from the balance of the line before. */
@Entity('statement_lines')
@Unique('uq_statement_lines_identity', ['channel_id', 'identity_hash'])
@Index('ix_statement_lines_day', ['channel_id', 'booked_on', 'id'])
@Check('ck_statement_lines_amount', 'amount <> 0')
@Check('ck_statement_lines_identity', 'length(identity_hash) = 32')
export class StatementLine {
  @IdColumn('bigint', 'pk_statement_lines')
  id!: bigint;

  @ForeignKey(() => StatementImport, { name: 'fk_statement_lines_import' })
  @Column('integer')
  import_id!: number;

  @ForeignKey(() => DepositChannel, { name: 'fk_statement_lines_channel' })
  @Column('integer')
  channel_id!: number;

  /** The day in the time zone of the bank. */
  @Column('date')
  booked_on!: string;

  @Column(timestampColumn())
  at!: Date;

  /** Negative for money that left the account. */
  @Column(bigintColumn())
  amount!: Satang;

  @Column(bigintColumn({ nullable: true }))
  balance_after!: Satang | null;

  /** Identifies the line within its channel. It is the same in each file that repeats the line. */
  @Column('bytea')
  identity_hash!: Buffer;

  /** Texts of the line. They may name the payer, so they are sealed. */
  @Column('bytea')
  text_sealed!: Buffer;
}
