import { Injectable } from '@nestjs/common';
import { IsNull, type FindOptionsWhere } from 'typeorm';
import { Database, type Transaction } from '../database/database.js';
import { OperatorSession } from './operator-session.entity.js';
import { Operator } from './operator.entity.js';
import {
  COUNT_ATTEMPT_BY_EMAIL,
  COUNT_ATTEMPT_BY_ID,
  FORGET_ATTEMPTS,
  INSERT_COMPANY_OPERATOR,
  INSERT_OPERATOR,
  LOCK_ADMINISTRATORS,
  TAKE_BACK_ATTEMPT,
  USE_RECOVERY_CODE,
  USE_STEP,
} from './operators.sql.js';
import { RecoveryCode } from './recovery-code.entity.js';

/** What of an operator may change. */
export type OperatorChange = Partial<Omit<Operator, 'id' | 'email' | 'created_at' | 'updated_at'>>;

/** The operator whom a browser has been marked for, and the version of their access then. */
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

  /** @returns the ids of the administrators that can sign in. */
  async lockAdministrators(tx: Transaction): Promise<number[]> {
    return (await tx.query<{ id: number }>(...LOCK_ADMINISTRATORS.with({}))).map(({ id }) => id);
  }

  /** @returns undefined where an operator has the address. */
  async insert(
    tx: Transaction,
    row: Pick<Operator, 'email' | 'name' | 'role' | 'set_up_hash' | 'set_up_until' | 'created_by'>,
  ): Promise<Operator | undefined> {
    const [inserted] = await tx.query<Operator>(...INSERT_OPERATOR.with(row));
    return inserted;
  }

  /** @returns undefined where an operator has the address, or is that person already. */
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

  /** @returns the operator, unless the account is locked or there is none. */
  async countAttempt(email: string, known: KnownDevice | null): Promise<Operator | undefined> {
    const [counted] = await this.database.query<Operator>(
      ...COUNT_ATTEMPT_BY_EMAIL.with({ email, ...toParameters(known) }),
    );
    return counted;
  }

  /** The same for somebody who is known already, if only by their password. */
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

  /** @returns whether no code of that step or a later one was used before. */
  async useStep(id: number, step: bigint): Promise<boolean> {
    return (await this.database.query(...USE_STEP.with({ id, step }))).length > 0;
  }

  /** @returns whether there was such a code to be used. */
  async useRecoveryCode(id: number, hash: Buffer): Promise<boolean> {
    return (await this.database.query(...USE_RECOVERY_CODE.with({ id, hash }))).length > 0;
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

  /** @returns how many there were. */
  async endSessions({ manager }: Transaction, where: FindOptionsWhere<OperatorSession>): Promise<number> {
    const { affected } = await manager.delete(OperatorSession, where);
    return affected ?? 0;
  }
}
