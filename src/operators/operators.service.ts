import { Inject, Injectable } from '@nestjs/common';
import { recordAction, type Actor, type AuditedAction } from '../audit-log/audit-log.js';
import { CONFIG, type Config } from '../core/config.js';
import { DAY_MS } from '../core/durations.js';
import { AppError, ChangedMeanwhile, invalidValue, notFound, UnknownResource } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import { Database, type Transaction } from '../database/database.js';
import { newLinkToken, sha256 } from './one-time-secrets.js';
import type { Operator } from './operator.entity.js';
import { OperatorsRepository, type OperatorChange } from './operators.repository.js';
import { hashPassword, passwordProblem } from './passwords.js';
import type { Role } from './roles.js';

/** The id of an operator, or the address. */
type Who = number | string;

export interface NewOperator {
  email: string;
  name: string;
  role: Role;
}

/** An operator with a link that sets the password, once and within a day. */
export interface Invited {
  operator: Operator;
  /** Holds the only copy of the token. */
  link: string;
  until: Date;
}

const UNLOCKED = {
  failed_logins: 0,
  locked_until: null,
  known_device_failed_logins: 0,
  known_device_locked_until: null,
} satisfies OperatorChange;

/** The change that invalidates all earlier sign-ins and device cookies. The transaction must hold the operator's row lock. */
export const invalidateEarlierSignIns = ({ access_version }: Operator): Pick<Operator, 'access_version'> => ({
  access_version: access_version + 1,
});

/** An operator, and the version of the operator's access at the sign-in. */
export type SignedInAccess = Pick<Operator, 'id' | 'access_version'>;

/** @throws UNAUTHORIZED if the account was reset, disabled or linked, or got another password or second factor since the sign-in. */
export async function lockUnchanged(
  operators: OperatorsRepository,
  tx: Transaction,
  { id, access_version }: SignedInAccess,
): Promise<Operator> {
  const operator = await operators.lock(tx, { id, access_version, active: true });
  if (!operator) throw new AppError('UNAUTHORIZED', 'Your access has changed meanwhile: sign in again');
  return operator;
}

/** The accounts of the console. */
@Injectable()
export class OperatorsService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** In the order of creation. */
  list(): Promise<Operator[]> {
    return this.operators.list();
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<Operator> {
    const operator = await this.operators.find({ id });
    if (!operator) throw notFound('operator');
    return operator;
  }

  /** @throws BAD_REQUEST; CONFLICT if the address is taken. */
  async create({ email: given, name, role }: NewOperator, by?: Actor): Promise<Invited> {
    const email = readEmail(given);
    const problem = textProblem(name, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the name ${problem}`);
    const { token, ...link } = newLink();
    return this.database.transaction(async (tx) => {
      const created_by = by?.console?.operatorId ?? null;
      const operator = await this.operators.insert(tx, { email, name, role, created_by, ...link });
      if (!operator) throw new AppError('CONFLICT', `there is an operator with the address ${email}`);
      recordAction(tx, by, { action: 'operator.create', detail: { operator: email, role } });
      return { operator, link: this.linkOf(token), until: link.set_up_until };
    });
  }

  /** Ends all sessions and blocks the account. @throws NOT_FOUND; CONFLICT for the last administrator. */
  disable(who: Who, by?: Actor): Promise<Operator> {
    return this.change(who, by, 'operator.disable', async (tx, operator) => {
      await this.keepAnAdministrator(tx, operator.id);
      await this.operators.endSessions(tx, { operator_id: operator.id });
      const links = { set_up_hash: null, set_up_until: null, company_link_until: null };
      return { ...links, ...invalidateEarlierSignIns(operator), active: false };
    });
  }

  /** @throws NOT_FOUND */
  enable(who: Who, by?: Actor): Promise<Operator> {
    return this.change(who, by, 'operator.enable', () => Promise.resolve({ active: true }));
  }

  /**
   * @param expected the role that the deciding operator saw.
   * @throws NOT_FOUND; CONFLICT for the last administrator, or if the role is not the expected one.
   */
  setRole(who: Who, role: Role, by?: Actor, expected?: Role): Promise<Operator> {
    return this.change(who, by, 'operator.set_role', async (tx, { id, role: now }) => {
      if (expected !== undefined && expected !== now)
        throw new ChangedMeanwhile(`the role is now ${now}: look again`, 'expected_role');
      if (role !== 'admin') await this.keepAnAdministrator(tx, id);
      return { role };
    });
  }

  /**
   * For a day, allows linking the account to a company account: the first person who signs in with the account's verified address is
   * linked to it, in place of any earlier link. @throws NOT_FOUND; CONFLICT for a disabled account.
   */
  allowCompany(who: Who, by?: Actor): Promise<Operator> {
    return this.change(who, by, 'operator.allow_company', (_tx, { active }) => {
      if (!active) throw new AppError('CONFLICT', 'the account is disabled: enable it first');
      return Promise.resolve({ company_link_until: inADay() });
    });
  }

  /** @throws NOT_FOUND */
  unlock(who: Who, by?: Actor): Promise<Operator> {
    return this.change(who, by, 'operator.unlock', () => Promise.resolve(UNLOCKED));
  }

  /** @param sessionId absent for all sessions. @returns how many ended. The audit log gets no entry for 0. @throws NOT_FOUND */
  endSessions(who: Who, sessionId: number | undefined, by: Actor): Promise<number> {
    return this.database.transaction(async (tx) => {
      const operator = await this.lock(tx, who);
      const which = sessionId === undefined ? {} : { id: sessionId };
      const ended = await this.operators.endSessions(tx, { ...which, operator_id: operator.id });
      const detail = { operator: operator.email, ...(sessionId === undefined ? { ended } : { session: sessionId }) };
      if (ended > 0) recordAction(tx, by, { action: 'session.end', detail });
      return ended;
    });
  }

  /**
   * Restores access: removes password, second factor and company link, ends all sessions, unlocks and enables the account,
   * and makes a new link to set the password. If there was a company link, a new one may be made within a day. @throws NOT_FOUND
   */
  async reset(who: Who, by?: Actor): Promise<Invited> {
    const { token, ...link } = newLink();
    const operator = await this.change(who, by, 'operator.reset', async (tx, before) => {
      const { id, company_subject } = before;
      await this.operators.endSessions(tx, { operator_id: id });
      await this.operators.replaceRecoveryCodes(tx, id, []);
      const forgotten = { password_hash: null, totp_sealed: null, totp_offered_sealed: null };
      const ofCompany = { company_issuer: null, company_subject: null, company_link_until: inADay() };
      const others = company_subject ? ofCompany : { company_link_until: null };
      return { ...link, ...forgotten, ...UNLOCKED, ...others, ...invalidateEarlierSignIns(before), active: true };
    });
    return { operator, link: this.linkOf(token), until: link.set_up_until };
  }

  /**
   * @returns the operator whose password the link sets. @throws NOT_FOUND for a link that is unknown, used or expired.
   */
  async getByLink(token: string): Promise<Operator> {
    const found = await this.operators.find({ set_up_hash: sha256(token), active: true });
    if (!found || isOver(found)) throw unknownLink();
    return found;
  }

  /**
   * Sets the password with the token of a link, which works once.
   * @throws BAD_REQUEST for a password that the rules forbid; NOT_FOUND for a link that is unknown, used or expired.
   */
  async setUp(token: string, password: string, origin: { ip: string; requestId: string }): Promise<Operator> {
    const found = await this.getByLink(token);
    const password_hash = await choosePassword('password', password, found.email);
    return this.database.transaction(async (tx) => {
      // A concurrent request may have used the link.
      const locked = await this.operators.lock(tx, { set_up_hash: sha256(token), active: true, id: found.id });
      if (!locked || isOver(locked)) throw unknownLink();
      await this.operators.update(tx, locked.id, {
        password_hash,
        set_up_hash: null,
        set_up_until: null,
        ...invalidateEarlierSignIns(locked),
      });
      await this.operators.endSessions(tx, { operator_id: locked.id });
      const by = { operator: locked.email, console: { operatorId: locked.id, ...origin } };
      recordAction(tx, by, { action: 'operator.set_password', detail: { by: 'link' } });
      return locked;
    });
  }

  /** @param work makes the other writes of the change, and returns the operator's new columns. */
  private change(
    who: Who,
    by: Actor | undefined,
    action: AuditedAction,
    work: (tx: Transaction, operator: Operator) => Promise<OperatorChange>,
  ): Promise<Operator> {
    return this.database.transaction(async (tx) => {
      const operator = await this.lock(tx, who);
      const change = await work(tx, operator);
      await this.operators.update(tx, operator.id, change);
      const role = change.role === undefined ? {} : { role: change.role, role_before: operator.role };
      recordAction(tx, by, { action, detail: { operator: operator.email, ...role } });
      return { ...operator, ...change };
    });
  }

  private async lock(tx: Transaction, who: Who): Promise<Operator> {
    const isId = typeof who === 'number';
    const operator = await this.operators.lock(tx, isId ? { id: who } : { email: who.trim().toLowerCase() });
    if (!operator) throw isId ? notFound('operator') : new UnknownResource('operator', who);
    return operator;
  }

  private async keepAnAdministrator(tx: Transaction, id: number): Promise<void> {
    const administrators = await this.operators.lockAdministrators(tx);
    if (administrators.length === 1 && administrators[0] === id)
      throw new AppError('CONFLICT', 'this is the last administrator: make another operator an administrator first');
  }

  /** The token is in the fragment: browsers do not send it, so no proxy can log it. */
  private readonly linkOf = (token: string): string => `${this.config.console.url}/set-up#${token}`;
}

function newLink(): { token: string; set_up_hash: Buffer; set_up_until: Date } {
  const token = newLinkToken();
  return { token, set_up_hash: sha256(token), set_up_until: inADay() };
}

const inADay = (): Date => new Date(Date.now() + DAY_MS);

const isOver = ({ set_up_until }: Operator): boolean => set_up_until === null || set_up_until < new Date();

const unknownLink = (): AppError =>
  new AppError('NOT_FOUND', 'this link was used, replaced or has expired: ask an administrator for another');

/** @param field the request's member. @returns the hash. @throws BAD_REQUEST */
export async function choosePassword(field: string, password: string, email: string): Promise<string> {
  const words = passwordProblem(password, email);
  if (words) throw unfitPassword(field, words);
  return hashPassword(password);
}

export const unfitPassword = (field: string, words: string): AppError => invalidValue(field, `${field} ${words}`);

/** @returns the address in lower case. @throws BAD_REQUEST */
function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= 128 && /^[^\s@]+@[^\s@]+$/.test(email) && textProblem(email, 3, 128) === null) return email;
  throw new AppError('BAD_REQUEST', 'the address must be an e-mail address of up to 128 characters');
}
