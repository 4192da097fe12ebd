import { Injectable } from '@nestjs/common';
import { recordAction } from '../audit-log/audit-log.js';
import { refusal, type DetailCode } from '../core/errors.js';
import { Database, type Transaction } from '../database/database.js';
import type { Operator } from './operator.entity.js';
import { OperatorsRepository } from './operators.repository.js';
import { invalidateEarlierSignIns } from './operators.service.js';
import type { Role } from './roles.js';
import { actorOf, type Origin } from './sign-in.service.js';

/** A person whom the company's provider has identified, by a verified signature. */
export interface Person {
  issuer: string;
  /** The issuer never gives it to another person. */
  subject: string;
  /** In lower case; null if the provider has no verified address. */
  email: string | null;
  name: string;
  /** The role in the console by the person's claims; null for none. */
  role: Role | null;
}

const REFUSALS = {
  NO_ROLE: 'Your company’s sign-in gives you no role in this console: ask an administrator for one',
  ACCOUNT_DISABLED: 'Your account in this console is disabled: ask an administrator',
  EMAIL_NOT_VERIFIED: 'Your company’s sign-in does not say that your e-mail address is verified: ask an administrator',
  ACCOUNT_NOT_LINKED:
    'There is already an account with your address, which is not linked to this company account. Ask an administrator to allow ' +
    'company sign-in for it, and try again',
  LAST_ADMINISTRATOR:
    'You are the last administrator, and your company’s sign-in gives you another role: make another operator an ' +
    'administrator first',
} satisfies Partial<Record<DetailCode, string>>;
type Refusal = keyof typeof REFUSALS;

type Entrance = { operator: Operator } | { refusal: Refusal; of: Operator | null };

/** Finds or creates the account of a person who signs in through the company, and sets its role. */
@Injectable()
export class CompanyAccountsService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
  ) {}

  /**
   * Returns the account that is linked to the person. Without such an account, links one for which an administrator has allowed
   * company sign-in, or creates a new one. A matching address alone never opens an account. Sets the role that the company gives.
   * @throws FORBIDDEN with the reason.
   */
  async enter(person: Person, origin: Origin): Promise<Operator> {
    let entrance = await this.tryToEnter(person, origin);
    // A concurrent request created an account with this address or person: find the account.
    entrance ??= await this.tryToEnter(person, origin);
    if (entrance && 'operator' in entrance) return entrance.operator;
    const { refusal: why, of } = entrance ?? { refusal: 'ACCOUNT_NOT_LINKED' as const, of: null };
    if (of) await this.logRefusal(of, origin, why);
    throw refusal('FORBIDDEN', why, 'account', REFUSALS[why]);
  }

  /** @returns undefined if a concurrent request created an account with this address or person. */
  private tryToEnter(person: Person, origin: Origin): Promise<Entrance | undefined> {
    const { issuer: company_issuer, subject: company_subject, email } = person;
    return this.database.transaction(async (tx) => {
      const own = await this.operators.lock(tx, { company_issuer, company_subject });
      if (own) return this.enterAs(tx, own, person, origin);
      if (person.role === null) return { refusal: 'NO_ROLE', of: null };
      if (email === null) return { refusal: 'EMAIL_NOT_VERIFIED', of: null };
      const found = await this.operators.lock(tx, { email });
      if (!found) return this.add(tx, { ...person, email, role: person.role }, origin);
      // A concurrent sign-in of the same person created or linked the account.
      if (found.company_issuer === company_issuer && found.company_subject === company_subject)
        return this.enterAs(tx, found, person, origin);
      const { company_link_until: until } = found;
      if (found.active && !(until && until > new Date())) return { refusal: 'ACCOUNT_NOT_LINKED', of: found };
      const entrance = await this.enterAs(tx, found, person, origin);
      if (!('operator' in entrance)) return entrance;
      // The account had a link to another person, or to the same person by another identifier. End the account's sessions.
      if (found.company_subject !== null) await this.operators.endSessions(tx, { operator_id: found.id });
      const link = { company_issuer, company_subject, company_link_until: null, ...invalidateEarlierSignIns(found) };
      await this.operators.update(tx, found.id, link);
      const detail = { operator: found.email, replaced: found.company_subject !== null };
      recordAction(tx, actorOf(found, origin), { action: 'operator.link_company', detail });
      return { operator: { ...entrance.operator, ...link } };
    });
  }

  private async enterAs(tx: Transaction, operator: Operator, { role }: Person, origin: Origin): Promise<Entrance> {
    if (!operator.active) return { refusal: 'ACCOUNT_DISABLED', of: operator };
    if (role === null) {
      await this.operators.endSessions(tx, { operator_id: operator.id });
      return { refusal: 'NO_ROLE', of: operator };
    }
    const { id, email, role: role_before } = operator;
    if (role === role_before) return { operator };
    if (role_before === 'admin' && (await this.operators.lockAdministrators(tx)).every((each) => each === id))
      return { refusal: 'LAST_ADMINISTRATOR', of: operator };
    await this.operators.update(tx, id, { role });
    const detail = { operator: email, role, role_before, by: 'company' };
    recordAction(tx, actorOf(operator, origin), { action: 'operator.set_role', detail });
    return { operator: { ...operator, role } };
  }

  private async add(
    tx: Transaction,
    { issuer, subject, email, name, role }: Person & { email: string; role: Role },
    origin: Origin,
  ): Promise<Entrance | undefined> {
    const row = { email, name, role, company_issuer: issuer, company_subject: subject };
    const operator = await this.operators.insertOfCompany(tx, row);
    if (!operator) return undefined;
    const detail = { operator: email, role, by: 'company' };
    recordAction(tx, actorOf(operator, origin), { action: 'operator.create', detail });
    return { operator };
  }

  private async logRefusal(operator: Operator, origin: Origin, why: Refusal): Promise<void> {
    await this.database.transaction((tx) => {
      const detail = { what: 'company', why };
      recordAction(tx, actorOf(operator, origin), { action: 'session.refused', detail });
    });
  }
}
