import { Column, Entity, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../database/columns.js';

/** Somebody was sent to the company's sign-in, and has not come back from there. */
@Entity('company_sign_ins')
export class CompanySignIn {
  /** SHA-256 of the cookie's value, of which everything that goes to the provider is derived. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_company_sign_ins' })
  id_hash!: Buffer;

  /** The page of the console that they wanted. */
  @Column('text')
  next!: string;

  @Column(timestampColumn())
  expires_at!: Date;
}
