import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { recordAction, type Actor, type ConsoleRequest } from '../audit-log/audit-log.js';
import { AppError } from '../core/errors.js';
import { Database } from '../database/database.js';
import type { Operator } from './operator.entity.js';
import { OperatorsRepository, type KnownDevice } from './operators.repository.js';
import { choosePassword, lockUnchanged, invalidateEarlierSignIns, unfitPassword } from './operators.service.js';
import { hashPassword, isOutdatedHash, isRightPassword, isSamePassword } from './passwords.js';
import { SecondFactorService } from './second-factor.service.js';

/** The origin of a sign-in attempt. */
export type Origin = Omit<ConsoleRequest, 'operatorId'> & {
  /** The content of the browser's valid device cookie. */
  knownDevice: KnownDevice | null;
};

/** A password, or a code of the second factor. */
type Proof = { password: string } | { code: string };

/** The minimum time of a refusal, so that timing does not reveal unknown addresses. */
const REFUSED_AFTER_MS = 100;

/** Signs operators in and counts failures. Each attempt is counted before it is checked. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
    private readonly secondFactor: SecondFactorService,
  ) {}

  /**
   * The first step. @returns the operator, and whether a code must follow.
   * @throws UNAUTHORIZED, which never reveals whether address, password or a lock is the reason.
   */
  async withPassword(
    given: { email: string; password: string },
    origin: Origin,
  ): Promise<{ operator: Operator; awaitsCode: boolean }> {
    const startedAtMs = performance.now();
    const email = given.email.trim().toLowerCase();
    const operator = await this.operators.countAttempt(email, origin.knownDevice);
    const isRight = await isRightPassword(operator?.password_hash ?? null, given.password);
    if (!operator || !isRight) {
      await this.logRefusal({ email }, origin, 'password');
      throw await refused(startedAtMs, 'The address or the password is wrong, or the account is locked');
    }
    await this.rehash(operator, given.password);
    if (operator.totp_sealed) {
      await this.operators.takeBackAttempt(operator.id, isKnown(operator, origin));
      return { operator, awaitsCode: true };
    }
    await this.complete(operator, origin, 'password');
    return { operator, awaitsCode: false };
  }

  /** The first step for an operator whom the company's provider has identified. @returns whether a code must follow. */
  async withCompany(operator: Operator, origin: Origin): Promise<{ awaitsCode: boolean }> {
    if (operator.totp_sealed) return { awaitsCode: true };
    await this.complete(operator, origin, 'company');
    return { awaitsCode: false };
  }

  /** The second step. @throws UNAUTHORIZED */
  async withCode(operatorId: number, code: string, origin: Origin): Promise<Operator> {
    const operator = await this.prove(operatorId, { code }, origin);
    await this.complete(operator, origin, 'code');
    return operator;
  }

  /**
   * Confirms a signed-in operator again: by a code, or by the password if there is no second factor.
   * @throws UNAUTHORIZED; BAD_REQUEST for a password when a code is required.
   */
  async confirm(operatorId: number, proof: Proof, origin: Origin): Promise<Operator> {
    const operator = await this.operators.find({ id: operatorId });
    if (operator?.totp_sealed && !('code' in proof))
      throw new AppError('BAD_REQUEST', 'the code of the second factor is needed');
    return this.prove(operatorId, proof, origin);
  }

  /** Also ends all sessions. The caller then begins a new session. @throws UNAUTHORIZED; BAD_REQUEST */
  async changePassword(
    operatorId: number,
    { password, newPassword }: { password: string; newPassword: string },
    origin: Origin,
  ): Promise<Operator> {
    const { access_version, email } = await this.prove(operatorId, { password }, origin);
    if (isSamePassword(password, newPassword))
      throw unfitPassword('new_password', 'must differ from the current password');
    const password_hash = await choosePassword('new_password', newPassword, email);
    return this.database.transaction(async (tx) => {
      const operator = await lockUnchanged(this.operators, tx, { id: operatorId, access_version });
      const change = { password_hash, ...invalidateEarlierSignIns(operator) };
      await this.operators.update(tx, operatorId, change);
      const ended = await this.operators.endSessions(tx, { operator_id: operatorId });
      const detail = { by: 'operator', sessions_ended: ended };
      recordAction(tx, actorOf(operator, origin), { action: 'operator.set_password', detail });
      return { ...operator, ...change };
    });
  }

  /** @throws UNAUTHORIZED */
  private async prove(operatorId: number, proof: Proof, origin: Origin): Promise<Operator> {
    const startedAtMs = performance.now();
    const operator = await this.operators.countAttemptOf(operatorId, origin.knownDevice);
    const isRight =
      operator !== undefined &&
      ('code' in proof
        ? await this.secondFactor.use(operator, proof.code)
        : await isRightPassword(operator.password_hash, proof.password));
    const what = 'code' in proof ? 'code' : 'password';
    if (!isRight) {
      await this.logRefusal({ id: operatorId }, origin, what);
      throw await refused(startedAtMs, `The ${what} is wrong or was used, or the account is locked`);
    }
    await this.database.transaction((tx) => this.operators.forgetAttempts(tx, operatorId, isKnown(operator, origin)));
    return operator;
  }

  private async complete(operator: Operator, origin: Origin, by: 'password' | 'code' | 'company'): Promise<void> {
    await this.database.transaction(async (tx) => {
      this.operators.forgetAttempts(tx, operator.id, isKnown(operator, origin));
      await this.operators.update(tx, operator.id, { last_sign_in_at: new Date() });
      recordAction(tx, actorOf(operator, origin), { action: 'session.sign_in', detail: { by } });
    });
  }

  /** Logs refusals of existing accounts only. For unknown addresses, the log would store arbitrary input. */
  private async logRefusal(who: { email: string } | { id: number }, origin: Origin, what: string): Promise<void> {
    const operator = await this.operators.find(who);
    if (!operator) return;
    await this.database.transaction((tx) =>
      recordAction(tx, actorOf(operator, origin), { action: 'session.refused', detail: { what } }),
    );
  }

  private async rehash({ id, password_hash: before }: Operator, password: string): Promise<void> {
    if (before === null || !isOutdatedHash(before)) return;
    const password_hash = await hashPassword(password);
    await this.database.transaction(async (tx) => {
      if (await this.operators.lock(tx, { id, password_hash: before }))
        await this.operators.update(tx, id, { password_hash });
    });
  }
}

/** Whether the operator has signed in with this browser since the operator's access last changed. */
const isKnown = ({ id, access_version: version }: Operator, { knownDevice: known }: Origin): boolean =>
  known?.operatorId === id && known.accessVersion === version;

export const actorOf = ({ id, email }: Operator, { ip, requestId }: Origin): Actor => ({
  operator: email,
  console: { operatorId: id, ip, requestId },
});

async function refused(startedAtMs: number, message: string): Promise<AppError> {
  await delay(Math.max(0, REFUSED_AFTER_MS - (performance.now() - startedAtMs)));
  return new AppError('UNAUTHORIZED', message);
}
