import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, LessThan } from 'typeorm';
import { Database, type Transaction } from '../database/database.js';
import { OperatorSession } from './operator-session.entity.js';
import { Operator, RecoveryCode } from './operator.entity.js';
import { statement } from '../database/parameters.js';

/** Inserts no row if the address is taken. */
const INSERT_OPERATOR = statement(
  'operators.insert',
  {
    email: 'text',
    name: 'text',
    role: 'text',
    set_up_hash: 'bytea?',
    set_up_until: 'timestamptz?',
    created_by: 'int?',
  },
  ({ email, name, role, set_up_hash, set_up_until, created_by }) => `
    INSERT INTO operators (email, name, role, set_up_hash, set_up_until, created_by)
    VALUES (${email}, ${name}, ${role}, ${set_up_hash}, ${set_up_until}, ${created_by})
    ON CONFLICT (email) DO NOTHING RETURNING *`,
);

/** Inserts no row if the address is taken or the person already has an account. */
const INSERT_COMPANY_OPERATOR = statement(
  'operators.insert_of_company',
  { email: 'text', name: 'text', role: 'text', company_issuer: 'text', company_subject: 'text' },
  ({ email, name, role, company_issuer, company_subject }) => `
    INSERT INTO operators (email, name, role, company_issuer, company_subject)
    VALUES (${email}, ${name}, ${role}, ${company_issuer}, ${company_subject})
    ON CONFLICT DO NOTHING RETURNING *`,
);

/** The number of wrong passwords or codes that locks an account. */
const LOCK_AT = 5;

/** The end of a lock: 15 minutes at the fifth failure, doubled with each further failure, up to a day. */
const lockOf = (failures: string): string =>
  `statement_timestamp() + least(interval '15 minutes' * power(2, least(${failures} - ${LOCK_AT}, 7)), interval '1 day')`;

/** @param prefix of the counter's columns. @param counts whether this attempt belongs to the counter. */
const countIn = (prefix: string, counts: string): string => `
  ${prefix}failed_logins = ${prefix}failed_logins + CASE WHEN ${counts} THEN 1 ELSE 0 END,
  ${prefix}locked_until = CASE WHEN ${counts} AND ${prefix}failed_logins + 1 >= ${LOCK_AT}
    THEN ${lockOf(`(${prefix}failed_logins + 1)`)} ELSE ${prefix}locked_until END`;

/**
 * Counts an attempt before it is checked, so that concurrent attempts can't escape the limit.
 * @param which selects the operator. @param isKnown whether the operator has signed in with this browser before.
 */
const countAttempt = (which: string, isKnown: string): string => `
  UPDATE operators SET ${countIn('', `NOT (${isKnown})`)}, ${countIn('known_device_', isKnown)}
  WHERE ${which} AND active
    AND coalesce(CASE WHEN ${isKnown} THEN known_device_locked_until ELSE locked_until END, '-infinity')
      <= statement_timestamp()
  RETURNING *`;

/** Returns no row if the account is locked, or if no active account with a password has the address. */
const COUNT_ATTEMPT_BY_EMAIL = statement(
  'operators.count_attempt_by_email',
  { email: 'text', knownId: 'int?', knownVersion: 'int?' },
  ({ email, knownId, knownVersion }) =>
    countAttempt(
      `email = ${email} AND password_hash IS NOT NULL`,
      `coalesce(id = ${knownId} AND access_version = ${knownVersion}, false)`,
    ),
);

/** For an operator who has completed the first step. An account that uses company sign-in may have no password. */
const COUNT_ATTEMPT_BY_ID = statement(
  'operators.count_attempt_by_id',
  { id: 'int', knownId: 'int?', knownVersion: 'int?' },
  ({ id, knownId, knownVersion }) =>
    countAttempt(`id = ${id}`, `coalesce(id = ${knownId} AND access_version = ${knownVersion}, false)`),
);

/** Every attempt is counted before its check. This subtracts a correct attempt if a second step follows; earlier failures stay. */
const TAKE_BACK_ATTEMPT = statement(
  'operators.take_back_attempt',
  { id: 'int', isKnown: 'boolean' },
  ({ id, isKnown }) => `
    UPDATE operators SET
      failed_logins = CASE WHEN ${isKnown} THEN failed_logins ELSE greatest(failed_logins - 1, 0) END,
      locked_until = CASE WHEN ${isKnown} THEN locked_until END,
      known_device_failed_logins =
        CASE WHEN ${isKnown} THEN greatest(known_device_failed_logins - 1, 0) ELSE known_device_failed_logins END,
      known_device_locked_until = CASE WHEN NOT ${isKnown} THEN known_device_locked_until END
    WHERE id = ${id}`,
);

/** Resets the counter for browsers with, or without, a valid device cookie. */
const FORGET_ATTEMPTS = statement(
  'operators.forget_attempts',
  { id: 'int', isKnown: 'boolean' },
  ({ id, isKnown }) => `
    UPDATE operators SET
      failed_logins = CASE WHEN ${isKnown} THEN failed_logins ELSE 0 END,
      locked_until = CASE WHEN ${isKnown} THEN locked_until END,
      known_device_failed_logins = CASE WHEN ${isKnown} THEN 0 ELSE known_device_failed_logins END,
      known_device_locked_until = CASE WHEN NOT ${isKnown} THEN known_device_locked_until END
    WHERE id = ${id}`,
);

/**
 * Locks in the order of ids, so that two of these statements can't deadlock. Two administrators who demote each other
 * can, because each transaction has already locked the account that it changes. PostgreSQL then ends one of them, and
 * it runs again.
 */
const LOCK_ADMINISTRATORS = statement(
  'operators.lock_administrators',
  {},
  () => `SELECT id FROM operators WHERE role = 'admin' AND active ORDER BY id FOR UPDATE`,
);

/** The columns of an operator that may change. */
export type OperatorChange = Partial<Omit<Operator, 'id' | 'email' | 'created_at' | 'updated_at'>>;

/** The content of a browser's device cookie: an operator, and the version of the operator's access at that sign-in. */
export interface KnownDevice {
  operatorId: number;
  accessVersion: number;
}

const toParameters = (known: KnownDevice | null): { knownId: number | null; knownVersion: number | null } => ({
  knownId: known?.operatorId ?? null,
  knownVersion: known?.accessVersion ?? null,
});

@Injectable()
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  list(): Promise<Operator[]> {
    return this.database.manager.find(Operator, { order: { id: 'ASC' } });
  }

  find(where: FindOptionsWhere<Operator>): Promise<Operator | null> {
    return this.database.manager.findOneBy(Operator, where);
  }

  lock({ manager }: Transaction, where: FindOptionsWhere<Operator>): Promise<Operator | null> {
    return manager.findOne(Operator, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** @returns the ids of active administrators. */
  async lockAdministrators(tx: Transaction): Promise<number[]> {
    return (await tx.query<{ id: number }>(...LOCK_ADMINISTRATORS.with({}))).map(({ id }) => id);
  }

  /** @returns undefined if the address is taken. */
  async insert(
    tx: Transaction,
    row: Pick<Operator, 'email' | 'name' | 'role' | 'set_up_hash' | 'set_up_until' | 'created_by'>,
  ): Promise<Operator | undefined> {
    const [inserted] = await tx.query<Operator>(...INSERT_OPERATOR.with(row));
    return inserted;
  }

  /** @returns undefined if the address is taken or the person already has an account. */
  async insertOfCompany(
    tx: Transaction,
    row: Pick<Operator, 'email' | 'name' | 'role'> & { company_issuer: string; company_subject: string },
  ): Promise<Operator | undefined> {
    const [inserted] = await tx.query<Operator>(...INSERT_COMPANY_OPERATOR.with(row));
    return inserted;
  }

  async update({ manager }: Transaction, id: number, change: OperatorChange): Promise<void> {
    const updated_at = (): string => 'statement_timestamp()';
    await manager.update(Operator, { id }, { ...change, updated_at });
  }

  /**
   * Counts an attempt to sign in. @returns undefined if the account is locked, disabled or unknown, or has no password.
   */
  async countAttempt(email: string, known: KnownDevice | null): Promise<Operator | undefined> {
    const [counted] = await this.database.query<Operator>(
      ...COUNT_ATTEMPT_BY_EMAIL.with({ email, ...toParameters(known) }),
    );
    return counted;
  }

  /**
   * Counts an attempt of an operator who has completed the first step of a sign-in, or is signed in.
   * @returns undefined if the account is locked, disabled or unknown.
   */
  async countAttemptOf(id: number, known: KnownDevice | null): Promise<Operator | undefined> {
    const [counted] = await this.database.query<Operator>(...COUNT_ATTEMPT_BY_ID.with({ id, ...toParameters(known) }));
    return counted;
  }

  async takeBackAttempt(id: number, isKnown: boolean): Promise<void> {
    await this.database.query(...TAKE_BACK_ATTEMPT.with({ id, isKnown }));
  }

  forgetAttempts(tx: Transaction, id: number, isKnown: boolean): void {
    tx.write(...FORGET_ATTEMPTS.with({ id, isKnown }));
  }

  /** @returns false if a code of this step or a later one has been used. */
  async useStep(id: number, step: bigint): Promise<boolean> {
    const where = { id, totp_last_step: LessThan(step) };
    return (await this.database.manager.update(Operator, where, { totp_last_step: step })).affected === 1;
  }

  /** @returns false if the code is unknown or has been used. */
  async useRecoveryCode(id: number, hash: Buffer): Promise<boolean> {
    const where = { operator_id: id, code_hash: hash, used_at: IsNull() };
    const { affected } = await this.database.manager.update(RecoveryCode, where, {
      used_at: () => 'statement_timestamp()',
    });
    return affected === 1;
  }

  countRecoveryCodes(operatorId: number): Promise<number> {
    return this.database.manager.countBy(RecoveryCode, { operator_id: operatorId, used_at: IsNull() });
  }

  async replaceRecoveryCodes({ manager }: Transaction, operatorId: number, hashes: Buffer[]): Promise<void> {
    await manager.delete(RecoveryCode, { operator_id: operatorId });
    if (hashes.length === 0) return;
    const rows = hashes.map((code_hash) => ({ operator_id: operatorId, code_hash }));
    await manager.insert(RecoveryCode, rows);
  }

  /** @returns how many sessions ended. */
  async endSessions({ manager }: Transaction, where: FindOptionsWhere<OperatorSession>): Promise<number> {
    const { affected } = await manager.delete(OperatorSession, where);
    return affected ?? 0;
  }
}
