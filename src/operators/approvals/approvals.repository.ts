import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, type SelectQueryBuilder } from 'typeorm';
import { present } from '../../core/invariant.js';
import { pick } from '../../core/members.js';
import type { Satang } from '../../core/money.js';
import { Database, type Transaction } from '../../database/database.js';
import { Deposit } from '../../deposits/deposit.entity.js';
import { IncomingPayment } from '../../deposits/incoming-payment.entity.js';
import { Merchant } from '../../merchants/merchant.entity.js';
import { Transfer } from '../../wallet/transfer.entity.js';
import { Operator } from '../operator.entity.js';
import { Approval, type ApprovalStatus } from './approval.entity.js';
import { statement } from '../../database/parameters.js';

/**
 * Actions that give an operator influence on another account: through its set-up link, its role, or access to it. Each with its
 * verb in messages.
 */
export const INFLUENCE_VERBS = {
  'operator.create': 'created',
  'operator.reset': 'reset',
  'operator.enable': 'enabled',
  'operator.set_role': 'gave a role to',
  'operator.allow_company': 'allowed company sign-in for',
} as const;

/** An operator who created one of two accounts, or both. */
interface Maker {
  maker: string;
  /** The address of the created account. If the operator created both, this is the newer one. */
  account: string;
  created_at: Date;
}

/** An action of one operator on the account of another operator, which gave influence on that account. */
export interface Influence {
  operator: string;
  action: keyof typeof INFLUENCE_VERBS;
  /** The address of the account. */
  account: string;
  created_at: Date;
}

/** The last actions by which one operator could get access to both accounts. */
interface SharedAccess extends Influence {
  other_action: Influence['action'];
  other_account: string;
  other_at: Date;
}

const ACTIONS = Object.keys(INFLUENCE_VERBS)
  .map((action) => `'${action}'`)
  .join(', ');

/**
 * Finds the operator who controls both accounts: one of the two, if that one created the other account; or a third, who created
 * both, at least one of them in the last `days` days.
 */
const FIND_MAKER = statement(
  'approvals.find_maker',
  { requester: 'int', approver: 'int', days: 'int' },
  ({ requester, approver, days }) => `
    SELECT m.email AS maker, made.email AS account, made.created_at
    FROM operators made
    JOIN operators other ON other.id <> made.id AND other.id IN (${requester}, ${approver})
    JOIN operators m ON m.id = made.created_by
    WHERE made.id IN (${requester}, ${approver})
      AND (made.created_by = other.id
        OR made.created_by = other.created_by
          AND made.created_at >= statement_timestamp() - make_interval(days => ${days}))
    ORDER BY made.created_at DESC LIMIT 1`,
);

const emailOf = (id: string): string => `(SELECT email FROM operators WHERE id = ${id})`;

/** Finds the last of these actions between two operators. Scans the audit log by time, at most `days` back. */
const FIND_INFLUENCE = statement(
  'approvals.find_influence',
  { requester: 'int', approver: 'int', days: 'int' },
  ({ requester, approver, days }) => `
    SELECT operator, action, detail ->> 'operator' AS account, created_at FROM operator_actions
    WHERE action IN (${ACTIONS}) AND created_at >= statement_timestamp() - make_interval(days => ${days})
      AND (operator_id = ${requester} AND detail ->> 'operator' = ${emailOf(approver)}
        OR operator_id = ${approver} AND detail ->> 'operator' = ${emailOf(requester)})
    ORDER BY created_at DESC LIMIT 1`,
);

/**
 * Finds an operator who could get access to both accounts: who created them in the last `makerDays` days, or reset or enabled
 * them, or allowed them company sign-in, in the last `days` days. A role gives no access.
 */
const FIND_SHARED_ACCESS = statement(
  'approvals.find_shared_access',
  { requester: 'int', approver: 'int', days: 'int', makerDays: 'int' },
  ({ requester, approver, days, makerDays }) => `
    WITH access AS (
      SELECT operator_id, operator, action, detail ->> 'operator' AS account, created_at FROM operator_actions
      WHERE action IN ('operator.create', 'operator.reset', 'operator.enable', 'operator.allow_company')
        AND detail ->> 'operator' IN (${emailOf(requester)}, ${emailOf(approver)})
        AND created_at >= statement_timestamp()
          - make_interval(days => CASE action WHEN 'operator.create' THEN ${makerDays} ELSE ${days} END))
    SELECT last.operator, last.action, last.account, last.created_at,
      other.action AS other_action, other.account AS other_account, other.created_at AS other_at
    FROM access last JOIN access other ON other.operator_id = last.operator_id AND other.account <> last.account
    ORDER BY last.created_at DESC, other.created_at DESC LIMIT 1`,
);

interface Names {
  merchant_name: string | null;
  requester: string;
  decider: string | null;
  /** The public id of the payment, and the number of the deposit to which it goes. */
  payment: string | null;
  deposit_number: string | null;
  /** The currency of the amount. Only a payment may have another one than THB. */
  currency: string;
  /** The amount that an approved `payment_debit` could not debit; null for everything else. */
  missing: Satang | null;
}

/** An approval with the merchant's name, the addresses of requester and decider, and members about its payment. */
export type NamedApproval = Approval & Names;

/** An absent member matches every approval. */
export interface ApprovalFilter {
  statuses?: ApprovalStatus[] | undefined;
  merchantIds?: number[] | undefined;
  /** Matches approvals with a lower id. */
  before: number;
  limit: number;
}

type NewApproval = Pick<
  Approval,
  'merchant_id' | 'kind' | 'amount' | 'reference' | 'note' | 'reason' | 'requested_by' | 'expires_at'
> &
  Partial<Pick<Approval, 'payment_id' | 'deposit_id'>>;

const IS_OVERDUE = `approval.status = 'open' AND approval.expires_at <= statement_timestamp()`;
const MISSING = `CASE WHEN approval.kind = 'payment_debit' AND approval.status = 'approved'
  THEN approval.amount - coalesce(transfer.amount, 0) END`;
const now = (): string => 'statement_timestamp()';

/** Approvals: changes that one operator has requested, and that another approves or rejects. */
@Injectable()
export class ApprovalsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list({ statuses, merchantIds, before, limit }: ApprovalFilter): Promise<NamedApproval[]> {
    const query = select(this.database)
      .where('approval.id < :before', { before })
      .orderBy('approval.id', 'DESC')
      .limit(limit);
    if (merchantIds) query.andWhere({ merchant_id: In(merchantIds) });
    if (statuses)
      query.andWhere(`CASE WHEN ${IS_OVERDUE} THEN 'expired' ELSE approval.status END IN (:...statuses)`, { statuses });
    return listNamed(query);
  }

  async find(id: number, from: Pick<Database, 'manager'> = this.database): Promise<NamedApproval | null> {
    const [found = null] = await listNamed(select(from).where('approval.id = :id', { id }));
    return found;
  }

  async lock(tx: Transaction, id: number): Promise<NamedApproval | null> {
    await tx.manager.findOne(Approval, { where: { id }, lock: { mode: 'for_no_key_update' } });
    // Reads the names after the lock: another operator may have decided while this transaction waited.
    return this.find(id, tx);
  }

  /** Finds the open approval of a reference or a payment. If it is overdue, marks it as expired and finds none. */
  async findOpen(
    tx: Transaction,
    of: { merchant_id: number; reference: string } | { payment_id: bigint },
  ): Promise<NamedApproval | null> {
    const where = { ...of, status: 'open' as const };
    await tx.manager.update(Approval, { ...where, expires_at: LessThanOrEqual(new Date()) }, { status: 'expired' });
    const [found = null] = await listNamed(select(tx).where(where));
    return found;
  }

  /** Finds the last action of the last `days` days by which one of the two may have got access to the other's account. */
  async findInfluence(
    tx: Transaction,
    between: { requester: number; approver: number; days: number },
  ): Promise<Influence | null> {
    const [found = null] = await tx.query<Influence>(...FIND_INFLUENCE.with(between));
    return found;
  }

  /** Finds the operator who may control both accounts. A third operator counts if one account is at most `days` days old. */
  async findMaker(
    tx: Transaction,
    between: { requester: number; approver: number; days: number },
  ): Promise<Maker | null> {
    const [found = null] = await tx.query<Maker>(...FIND_MAKER.with(between));
    return found;
  }

  /** Finds an operator who may have got access to both accounts lately. */
  async findSharedAccess(
    tx: Transaction,
    between: { requester: number; approver: number; days: number; makerDays: number },
  ): Promise<SharedAccess | null> {
    const [found = null] = await tx.query<SharedAccess>(...FIND_SHARED_ACCESS.with(between));
    return found;
  }

  async insert(tx: Transaction, approval: NewApproval): Promise<NamedApproval> {
    const { identifiers } = await tx.manager.insert(Approval, approval);
    const { id } = present(identifiers[0], 'an approval was written') as Pick<Approval, 'id'>;
    return present(await this.find(id, tx), 'an approval was written');
  }

  async decide(
    tx: Transaction,
    id: number,
    decision: Pick<Approval, 'status' | 'decided_by'> & Partial<Approval>,
  ): Promise<NamedApproval> {
    await tx.manager.update(Approval, { id }, { ...decision, decided_at: now });
    return present(await this.find(id, tx), 'the decision was written');
  }
}

const select = ({ manager }: Pick<Database, 'manager'>): SelectQueryBuilder<Approval> =>
  manager
    .createQueryBuilder(Approval, 'approval')
    .leftJoin(Merchant, 'merchant', 'merchant.id = approval.merchant_id')
    .leftJoin(IncomingPayment, 'payment', 'payment.id = approval.payment_id')
    .leftJoin(Deposit, 'deposit', 'deposit.id = approval.deposit_id')
    .leftJoin(Transfer, 'transfer', 'transfer.id = approval.transfer_id')
    .innerJoin(Operator, 'requester', 'requester.id = approval.requested_by')
    .leftJoin(Operator, 'decider', 'decider.id = approval.decided_by')
    .addSelect('merchant.name', 'merchant_name')
    .addSelect('requester.email', 'requester')
    .addSelect('decider.email', 'decider')
    .addSelect('payment.public_id', 'payment')
    .addSelect(`coalesce(payment.currency, 'THB')`, 'currency')
    .addSelect('deposit.deposit_number', 'deposit_number')
    .addSelect(MISSING, 'missing');

async function listNamed(query: SelectQueryBuilder<Approval>): Promise<NamedApproval[]> {
  const { entities, raw } = await query.getRawAndEntities<Names>();
  return entities.map((approval, index) => {
    const names = present(raw[index], 'a row has its raw row');
    return {
      ...approval,
      ...pick(names, 'merchant_name', 'requester', 'decider', 'payment', 'deposit_number', 'currency', 'missing'),
    };
  });
}
