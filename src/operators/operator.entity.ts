import { Check, Column, Entity, ForeignKey, Unique, PrimaryColumn } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import type { Role } from './roles.js';

export const LANGUAGES = ['en', 'th'] as const;
export type Language = (typeof LANGUAGES)[number];

export const totpPlace = (column: 'totp_sealed' | 'totp_offered_sealed', id: number): Place =>
  placeOf(`operators.${column}`, id);

/** A person's account for the console. */
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

  /** Null until the operator uses a set-up link. Company sign-in needs no password. */
  @Column('text', { nullable: true })
  password_hash!: string | null;

  /**
   * Rises with each new password, reset, disabling and company link, and each change of the second factor. This invalidates earlier
   * sign-ins and device cookies.
   */
  @Column('integer', { default: 0 })
  access_version!: number;

  /** SHA-256 of the set-up link's token; null without an unused link. */
  @Column('bytea', { nullable: true })
  set_up_hash!: Buffer | null;

  @Column(timestampColumn({ nullable: true }))
  set_up_until!: Date | null;

  /** The sealed secret of the second factor; null without one. */
  @Column('bytea', { nullable: true })
  totp_sealed!: Buffer | null;

  /** A new secret, which replaces `totp_sealed` once the operator has entered a code of it. */
  @Column('bytea', { nullable: true })
  totp_offered_sealed!: Buffer | null;

  /** The step of the last used code: codes up to this step are refused. */
  @Column(bigintColumn({ default: 0 }))
  totp_last_step!: bigint;

  /** Wrong passwords and codes in a row, in browsers without a valid device cookie of the operator. */
  @Column('integer', { default: 0 })
  failed_logins!: number;

  @Column(timestampColumn({ nullable: true }))
  locked_until!: Date | null;

  /** The same as `failed_logins`, but in browsers with a valid device cookie of the operator. */
  @Column('integer', { default: 0 })
  known_device_failed_logins!: number;

  @Column(timestampColumn({ nullable: true }))
  known_device_locked_until!: Date | null;

  /** The operator's identity at the company's provider: its issuer, and the person's fixed identifier there. */
  @Column('text', { nullable: true })
  company_issuer!: string | null;

  @Column('text', { nullable: true })
  company_subject!: string | null;

  /** Until this time, a company sign-in with this account's verified address is linked to the account. */
  @Column(timestampColumn({ nullable: true }))
  company_link_until!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  last_sign_in_at!: Date | null;

  @Column('text', { nullable: true })
  language!: Language | null;

  @Column('text', { nullable: true })
  timezone!: string | null;

  /** The operator who created the account in the console; null for the command line and company sign-in. */
  @ForeignKey('Operator', { name: 'fk_operators_created_by' })
  @Column('integer', { nullable: true })
  created_by!: number | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}

/** Replaces a code of the second factor, once. */
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

/** A pending sign-in at the company's provider. */
@Entity('company_sign_ins')
export class CompanySignIn {
  /** SHA-256 of the cookie's value. All values that go to the provider are derived from the cookie. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_company_sign_ins' })
  id_hash!: Buffer;

  /** The page of the console to open afterwards. */
  @Column('text')
  next!: string;

  @Column(timestampColumn())
  expires_at!: Date;
}
