import { Injectable } from '@nestjs/common';
import { recordAction, type ConsoleActor } from '../../audit-log/audit-log.js';
import { AppError, refusal, UnknownResource } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Transaction } from '../../database/database.js';
import { OperatorsRepository } from '../operators.repository.js';
import { hasPermission } from '../roles.js';
import { assertAsExpected, assertMovement, WalletService } from '../../wallet/wallet.service.js';
import { WalletsRepository } from '../../wallet/wallets.repository.js';
import { PaymentRequestsService } from './payment-requests.service.js';
import { APPROVAL_DAYS, APPROVAL_MS, detailOf, inWords } from './requests.js';
import {
  ApprovalsRepository,
  type ApprovalFilter,
  type Influence,
  type NamedApproval,
  INFLUENCE_VERBS,
} from './approvals.repository.js';

/** An operator who created both accounts counts as the owner of both, as long as the newer one is at most this many days old. */
const MAKER_DAYS = 30;

/** A movement of money that needs approval. */
interface MovementRequest {
  merchantId: number;
  kind: 'credit' | 'debit';
  /** Satang, more than 0. */
  amount: Satang;
  reference: string;
  note?: string | undefined;
  /** The requester, with the reason that the deciding operator reads. */
  by: ConsoleActor;
}

/** Stores requests for movements of money. Approves and rejects all requests, also those about payments. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsRepository,
    private readonly operators: OperatorsRepository,
    private readonly wallets: WalletsRepository,
    private readonly wallet: WalletService,
    private readonly payments: PaymentRequestsService,
  ) {}

  /** Newest first. */
  list(filter: ApprovalFilter): Promise<NamedApproval[]> {
    return this.approvals.list(filter);
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<NamedApproval> {
    return known(await this.approvals.find(id), id);
  }

  /**
   * Stores an open approval, and moves no money. If one with the same reference, kind and amount is open already, returns that one.
   * @throws NOT_FOUND; BAD_REQUEST; CONFLICT if the reference is used, or waits with another kind or amount.
   */
  async request({ by, ...movement }: MovementRequest): Promise<NamedApproval> {
    const { merchantId, kind, amount, reference, note } = movement;
    assertMovement({ ...movement, note: note ?? '', ...by });
    const reason = by.reason ?? refuse('BAD_REQUEST', 'a request needs a reason');
    return this.database.transaction(async (tx) => {
      // The lock serializes requests for one wallet, as it does movements.
      if (!(await this.wallets.lock(tx, merchantId))) throw new UnknownResource('merchant', merchantId);
      const waiting = await this.approvals.findOpen(tx, { merchant_id: merchantId, reference });
      if (waiting?.kind === kind && waiting.amount === amount) return waiting;
      if (waiting) refuse('CONFLICT', `reference ${reference} waits for approval: ${inWords(waiting)}`);
      await this.assertUnused(tx, merchantId, reference);
      const approval = await this.approvals.insert(tx, {
        merchant_id: merchantId,
        kind,
        amount,
        reference,
        note: note ?? null,
        reason,
        requested_by: by.console.operatorId,
        expires_at: new Date(Date.now() + APPROVAL_MS),
      });
      const detail = { ...detailOf(approval), note: approval.note };
      recordAction(tx, by, { action: 'approval.request', merchantId, detail });
      return approval;
    });
  }

  /**
   * Approves a request and carries it out. `by` must not be the requester. Idempotent: when the same operator approves
   * again, returns the first result.
   * @param expectedAvailable the available balance that the operator saw: if it has changed, nothing moves.
   * @throws NOT_FOUND; FORBIDDEN for one's own request, or if the two may be one person; CONFLICT when the request no longer
   * waits, the requester has lost the permission, the reference is used or the balance is too low; CONFLICT with
   * CHANGED_MEANWHILE if the balance is not `expectedAvailable`, or another amount than requested is to be taken back.
   */
  async approve(id: number, by: ConsoleActor, expectedAvailable?: Satang): Promise<NamedApproval> {
    const before = await this.get(id);
    const isWaiting = before.status === 'open' && !isOverdue(before);
    const payment = isWaiting && before.payment ? await this.payments.find(before) : null;
    return this.database.transaction(async (tx) => {
      // `BookingService` has the order of all locks.
      if (payment) await this.payments.lock(tx, payment);
      const wallet = before.merchant_id === null ? null : await this.wallets.lock(tx, before.merchant_id);
      const approval = known(await this.approvals.lock(tx, id), id);
      if (isDecidedBy(by, approval, 'approved')) return approval;
      assertWaits(approval);
      const { requested_by: requestedBy } = approval;
      if (requestedBy === by.console.operatorId) throw ownRequest();
      await this.assertTwoPeople(tx, requestedBy, by);
      await this.assertStillMay(tx, approval);
      if (payment && wallet) assertAsExpected(wallet, { expectedAvailable });
      const transfer_id = payment
        ? await this.payments.carryOut(tx, payment, approval, by)
        : await this.move(tx, approval, by, expectedAvailable);
      return this.approvals.decide(tx, id, { status: 'approved', decided_by: by.console.operatorId, transfer_id });
    });
  }

  /** @returns the transfer. @throws CONFLICT as {@link approve}. */
  private async move(
    tx: Transaction,
    { id, kind, merchant_id, amount, reference, note, reason, requester }: NamedApproval,
    by: ConsoleActor,
    expectedAvailable: Satang | undefined,
  ): Promise<bigint> {
    const { transferId, repeats } = await this.wallet.moveIn(tx, kind === 'credit' ? 'credit' : 'debit', {
      ...by,
      merchantId: present(merchant_id, 'a movement is of a wallet'),
      amount,
      reference,
      expectedAvailable,
      note: note ?? undefined,
      approval: { id, requester, reason },
    });
    if (repeats) refuse('CONFLICT', `${used(reference, repeats.operator)}: reject the request`);
    return present(transferId, 'a movement that was made has a number');
  }

  /**
   * Ends an open approval without moving money. If the requester does so, it is withdrawn.
   * @throws NOT_FOUND; BAD_REQUEST without a reason; CONFLICT if it is no longer open.
   */
  async reject(id: number, by: ConsoleActor): Promise<NamedApproval> {
    const reason = by.reason ?? refuse('BAD_REQUEST', 'a rejection needs a reason');
    return this.database.transaction(async (tx) => {
      const approval = known(await this.approvals.lock(tx, id), id);
      const isOwn = approval.requested_by === by.console.operatorId;
      const status = isOwn ? 'withdrawn' : 'rejected';
      if (isDecidedBy(by, approval, status)) return approval;
      assertWaits(approval);
      const action = isOwn ? 'approval.withdraw' : 'approval.reject';
      const detail = { ...detailOf(approval), requested_by: approval.requester };
      const merchant = approval.merchant_id === null ? {} : { merchantId: approval.merchant_id };
      recordAction(tx, by, { action, ...merchant, detail });
      return this.approvals.decide(tx, id, {
        status,
        decided_by: by.console.operatorId,
        decision_reason: reason,
      });
    });
  }

  /** @throws CONFLICT */
  private async assertUnused(tx: Transaction, merchantId: number, reference: string): Promise<void> {
    const earlier = await this.wallets.findMovement(tx, merchantId, reference);
    if (earlier) refuse('CONFLICT', used(reference, earlier.operator));
  }

  /**
   * @throws FORBIDDEN if one of the two may have had access to the other's account, or a third operator to both
   * accounts.
   */
  private async assertTwoPeople(tx: Transaction, requester: number, { console }: ConsoleActor): Promise<void> {
    const two = { requester, approver: console.operatorId };
    const made = await this.approvals.findMaker(tx, { ...two, days: MAKER_DAYS });
    if (made) {
      const { maker, account, created_at: at } = made;
      throw ownRequest(
        `${maker} created ${account} at ${at.toISOString()}, and could use both accounts: another operator must approve it`,
      );
    }
    const between = { ...two, days: APPROVAL_DAYS };
    const found = await this.approvals.findInfluence(tx, between);
    if (found)
      throw ownRequest(
        `${found.operator} ${didTo(found)}: for ${APPROVAL_DAYS} days both count as one person here: ` +
          'another operator must approve it',
      );
    const shared = await this.approvals.findSharedAccess(tx, { ...between, makerDays: MAKER_DAYS });
    if (!shared) return;
    const other = { action: shared.other_action, account: shared.other_account, created_at: shared.other_at };
    throw ownRequest(
      `${shared.operator} ${didTo(shared)} and ${didTo(other)}, and could use both accounts: ` +
        'another operator must approve it',
    );
  }

  /** @throws CONFLICT if the requester is disabled or has lost the permission. */
  private async assertStillMay(
    tx: Transaction,
    { requested_by: id, requester, payment }: NamedApproval,
  ): Promise<void> {
    const operator = present(await this.operators.lock(tx, { id }), 'an operator is never removed');
    if (operator.active && hasPermission(operator.role, payment === null ? 'wallets.move' : 'payments.decide')) return;
    const why = operator.active ? `has the role ${operator.role} now` : 'is disabled now';
    refuse('CONFLICT', `${requester} ${why} and no longer has the permission for this request: reject it`);
  }
}

function refuse(code: 'BAD_REQUEST' | 'CONFLICT', message: string): never {
  throw new AppError(code, message);
}

const ownRequest = (message = 'You requested this yourself: another operator must approve it'): AppError =>
  refusal('FORBIDDEN', 'OWN_REQUEST', 'id', message);

const didTo = ({ action, account, created_at: at }: Omit<Influence, 'operator'>): string =>
  `${INFLUENCE_VERBS[action]} ${account} at ${at.toISOString()}`;

/** @throws NOT_FOUND */
function known(approval: NamedApproval | null, id: number): NamedApproval {
  if (!approval) throw new AppError('NOT_FOUND', `there is no request ${id} for approval`);
  return approval;
}

/** Whether no operator decided in time. */
export const isOverdue = ({ status, expires_at: until }: NamedApproval): boolean =>
  status === 'expired' || (status === 'open' && until <= new Date());

/** @throws CONFLICT */
function assertWaits(approval: NamedApproval): void {
  const { id, status, decider, decided_at: at, expires_at: until } = approval;
  if (isOverdue(approval))
    refuse('CONFLICT', `request ${id} has expired at ${until.toISOString()}: make a new request`);
  if (status === 'open') return;
  refuse('CONFLICT', `request ${id} was ${status} by ${decider} at ${at?.toISOString()}: nothing was done`);
}

const isDecidedBy = (
  { console: { operatorId } }: ConsoleActor,
  { status, decided_by: decidedBy }: NamedApproval,
  as: NamedApproval['status'],
): boolean => status === as && decidedBy === operatorId;

const used = (reference: string, operator: string | null): string =>
  `reference ${reference} was used already${operator === null ? '' : `, by ${operator}`}`;
