import { Injectable } from '@nestjs/common';
import { generateSecret, generateURI, verify } from 'otplib';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { AppError, invalidValue } from '../core/errors.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { Database } from '../database/database.js';
import { newRecoveryCodes, plainRecoveryCode, sha256 } from './one-time-secrets.js';
import { totpPlace, type Operator } from './operator.entity.js';
import { OperatorsRepository } from './operators.repository.js';
import { invalidateEarlierSignIns, lockUnchanged, type SignedInAccess } from './operators.service.js';

const ISSUER = 'Order Top-up';
const STEP_SECONDS = 30;
const CODE = /^\d{6}$/;

/** A secret for an authenticator app: as text to type, and as a URI for a QR code. */
export interface Offer {
  /** In base 32. */
  secret: string;
  uri: string;
}

/** Codes of an authenticator app (TOTP, RFC 6238: 6 digits, 30 s), and recovery codes. Each recovery code replaces a code once. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** Offers a new secret. It becomes valid when {@link accept} gets a code of it. @throws UNAUTHORIZED */
  async offer(access: SignedInAccess): Promise<Offer> {
    const secret = generateSecret();
    const totp_offered_sealed = this.secretBox.seal(secret, totpPlace('totp_offered_sealed', access.id));
    const { email } = await this.database.transaction(async (tx) => {
      const operator = await lockUnchanged(this.operators, tx, access);
      await this.operators.update(tx, operator.id, { totp_offered_sealed });
      return operator;
    });
    return { secret, uri: generateURI({ issuer: ISSUER, label: email, secret }) };
  }

  /**
   * Replaces the secret by the offered one, ends all sessions, and stops sign-ins that have begun. The caller then begins a new
   * session.
   * @param code shown by the app. @returns ten recovery codes, which can't be shown again, and the new version of the access.
   * @throws UNAUTHORIZED; BAD_REQUEST for a wrong code; CONFLICT if no secret is offered.
   */
  async accept(access: SignedInAccess, code: string, by: Actor): Promise<{ codes: string[]; accessVersion: number }> {
    const codes = newRecoveryCodes();
    return this.database.transaction(async (tx) => {
      const operator = await lockUnchanged(this.operators, tx, access);
      const { id, totp_offered_sealed: sealed } = operator;
      if (!sealed) throw new AppError('CONFLICT', 'no second factor is being set up');
      const secret = this.open(sealed, totpPlace('totp_offered_sealed', id));
      const step = await stepOf(secret, code, 0n);
      if (step === null) {
        throw invalidValue('code', 'code is not the one that the app shows now');
      }
      const totp_sealed = this.secretBox.seal(secret, totpPlace('totp_sealed', id));
      const factor = { totp_sealed, totp_offered_sealed: null, totp_last_step: step };
      const change = { ...factor, ...invalidateEarlierSignIns(operator) };
      await this.operators.update(tx, id, change);
      const hashes = codes.map((each) => sha256(plainRecoveryCode(each)));
      await this.operators.replaceRecoveryCodes(tx, id, hashes);
      const ended = await this.operators.endSessions(tx, { operator_id: id });
      recordAction(tx, by, {
        action: 'second_factor.set',
        detail: { replaced: operator.totp_sealed !== null, sessions_ended: ended },
      });
      return { codes, accessVersion: change.access_version };
    });
  }

  /**
   * Removes the second factor, ends all sessions, and stops sign-ins that have begun. The caller then begins a new session.
   * @returns the new version of the access. @throws UNAUTHORIZED
   */
  async remove(access: SignedInAccess, by: Actor): Promise<{ accessVersion: number }> {
    return this.database.transaction(async (tx) => {
      const operator = await lockUnchanged(this.operators, tx, access);
      const { id } = operator;
      const change = { totp_sealed: null, totp_offered_sealed: null, ...invalidateEarlierSignIns(operator) };
      await this.operators.update(tx, id, change);
      await this.operators.replaceRecoveryCodes(tx, id, []);
      const ended = await this.operators.endSessions(tx, { operator_id: id });
      recordAction(tx, by, { action: 'second_factor.remove', detail: { sessions_ended: ended } });
      return { accessVersion: change.access_version };
    });
  }

  /** Uses a code or recovery code. @returns false if it is wrong or has been used. */
  async use({ id, totp_sealed, totp_last_step }: Operator, code: string): Promise<boolean> {
    if (!totp_sealed) return false;
    const typed = code.replace(/\s/g, '');
    if (!CODE.test(typed)) return this.operators.useRecoveryCode(id, sha256(plainRecoveryCode(typed)));
    const step = await stepOf(this.open(totp_sealed, totpPlace('totp_sealed', id)), typed, totp_last_step);
    return step !== null && this.operators.useStep(id, step);
  }

  /** Unseals a secret anew for each use, so that no secret stays in memory. */
  private readonly open = (sealed: Buffer, place: Place): string =>
    this.secretBox.openBytes(sealed, place).toString('utf8');
}

/** The step of a code: the current, the previous or the next step. Null for a wrong code, and for a code of a step up to `after`. */
async function stepOf(secret: string, token: string, after: bigint): Promise<bigint | null> {
  if (!CODE.test(token)) return null;
  const verified = await verify({
    secret,
    token,
    epochTolerance: STEP_SECONDS,
    ...(after > 0n ? { afterTimeStep: Number(after) } : {}),
  }).catch(() => null);
  return verified?.valid && 'timeStep' in verified ? BigInt(verified.timeStep) : null;
}
