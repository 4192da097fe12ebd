import { Check, Column, Entity, ForeignKey, Unique, PrimaryColumn } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import type { Role } from './roles.js';

export const LANGUAGES = ['en', 'th'] as const;
export type Language = (typeof LANGUAGES)[number];

export const totpPlace = (column: 'totp_sealed' | 'totp_offered_sealed', id: number): Place =>
  placeOf(`operators.${column}`, id);

/** Somebody who may sign in to the console. */
@Entity('operators')
@Unique('uq_operators_email', ['email'])
@Unique('uq_operators_set_up_hash', ['set_up_hash'])
@Unique('uq_operators_company', ['company_issuer', 'company_subject'])
@Check('ck_operators_email', 'email = lower(email)')
@Check('ck_operators_role', `role IN ('viewer', 'support', 'catalog', 'finance', 'admin')`)
@Check('ck_operators_language', `language IN ('en', 'th')`)
@Check('ck_operators_set_up', '(set_up_hash IS NULL) = (set_up_until IS NULL)')
@Check('ck_operators_company', '(company_issuer IS NULL) = (company_subject IS NULL)')
export class Operator {
  @IdColumn('integer', 'pk_operators')
  id!: number;

  /** In lower case. */
  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  @Column('boolean', { default: true })
  active!: boolean;

  /** Null until a set-up link was used. */
  @Column('text', { nullable: true })
  password_hash!: string | null;

  /** Rises with each new password, reset and disabling: what was shown or marked before counts no more. */
  @Column('integer', { default: 0 })
  access_version!: number;

  /** SHA-256 of the set-up link's token, until it is used. */
  @Column('bytea', { nullable: true })
  set_up_hash!: Buffer | null;

  @Column(timestampColumn({ nullable: true }))
  set_up_until!: Date | null;

  /** The second factor's secret; null where there is none. */
  @Column('bytea', { nullable: true })
  totp_sealed!: Buffer | null;

  /** The secret that takes its place once a code of it was given. */
  @Column('bytea', { nullable: true })
  totp_offered_sealed!: Buffer | null;

  /** No code of this step or an earlier one counts any more. */
  @Column(bigintColumn({ default: 0 }))
  totp_last_step!: bigint;

  /** Wrong passwords and codes since the last right ones, in browsers that the operator has not signed in with. */
  @Column('integer', { default: 0 })
  failed_logins!: number;

  @Column(timestampColumn({ nullable: true }))
  locked_until!: Date | null;

  /** The same for browsers that the operator has signed in with. */
  @Column('integer', { default: 0 })
  known_device_failed_logins!: number;

  @Column(timestampColumn({ nullable: true }))
  known_device_locked_until!: Date | null;

  /** Who the operator is at the company's sign-in: its issuer and the person's unchanging identifier there. */
  @Column('text', { nullable: true })
  company_issuer!: string | null;

  @Column('text', { nullable: true })
  company_subject!: string | null;

  /** Until then, whoever comes by the company's sign-in with this account's verified address becomes its operator. */
  @Column(timestampColumn({ nullable: true }))
  company_link_until!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  last_sign_in_at!: Date | null;

  @Column('text', { nullable: true })
  language!: Language | null;

  @Column('text', { nullable: true })
  timezone!: string | null;

  /** Who made the account at the console; null where the command line or the company's sign-in did. */
  @ForeignKey('Operator', { name: 'fk_operators_created_by' })
  @Column('integer', { nullable: true })
  created_by!: number | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}

/** Takes the place of a second factor's code, once. */
@Entity('operator_recovery_codes')
export class RecoveryCode {
  @ForeignKey(() => Operator, { name: 'fk_operator_recovery_codes_operator' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_operator_recovery_codes' })
  operator_id!: number;

  /** SHA-256 of the code. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_operator_recovery_codes' })
  code_hash!: Buffer;

  @Column(timestampColumn({ nullable: true }))
  used_at!: Date | null;
}

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
