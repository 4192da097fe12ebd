import { Injectable } from '@nestjs/common';
import { recordAction, type ConsoleActor } from '../../audit-log/audit-log.js';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Database, type Transaction } from '../../database/database.js';
import type { IncomingPayment } from '../../deposits/incoming-payment.entity.js';
import type { PaymentRow } from '../../deposits/payments.repository.js';
import { PaymentsService, type PaymentDecision } from '../../deposits/payments.service.js';
import { referenceOfPayment } from '../../wallet/wallet.service.js';
import type { Approval, ApprovalKind } from './approval.entity.js';
import { ApprovalsRepository, type NamedApproval } from './approvals.repository.js';
import { APPROVAL_MS, detailOf, inWords } from './requests.js';

/** A decision that may need approval. `keep` needs none: the payment stays with the merchant who has it. */
export type RequestedDecision = Exclude<PaymentDecision, { kind: 'ignore' | 'keep' }> | { kind: 'ignore' };

type Requested = Pick<Approval, 'kind' | 'amount' | 'reference' | 'merchant_id' | 'deposit_id'>;

/** Decisions about payments that one operator requests and another one approves. */
@Injectable()
export class PaymentRequestsService {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsRepository,
    private readonly payments: PaymentsService,
  ) {}

  /**
   * Stores a request without deciding. If the same request waits already, returns it.
   * @throws as {@link PaymentsService.decide}; CONFLICT if another request about the payment waits, or if nothing is left to
   * take back.
   */
  async request(paymentId: string, decision: RequestedDecision, by: ConsoleActor): Promise<NamedApproval> {
    const { reason } = by;
    if (reason === undefined) throw new AppError('BAD_REQUEST', 'a request needs a reason');
    const { payment } = await this.payments.check(paymentId, decision, { ...by, reason });
    return this.database.transaction(async (tx) => {
      const requested = await this.toRequested(tx, await this.payments.lock(tx, payment), decision);
      const waiting = await this.approvals.findOpen(tx, { payment_id: payment.id });
      if (waiting && isSame(waiting, requested)) return waiting;
      if (waiting) throw new AppError('CONFLICT', `payment ${paymentId} waits for approval: ${inWords(waiting)}`);
      const approval = await this.approvals.insert(tx, {
        ...requested,
        payment_id: payment.id,
        note: null,
        reason,
        requested_by: by.console.operatorId,
        expires_at: new Date(Date.now() + APPROVAL_MS),
      });
      const merchant = requested.merchant_id === null ? {} : { merchantId: requested.merchant_id };
      recordAction(tx, by, { action: 'approval.request', ...merchant, detail: detailOf(approval) });
      return approval;
    });
  }

  /** The payment of a request. */
  find({ payment }: NamedApproval): Promise<PaymentRow> {
    return this.payments.get(present(payment, 'the request is about a payment'));
  }

  async lock(tx: Transaction, { payment }: PaymentRow): Promise<void> {
    await this.payments.lock(tx, payment);
  }

  /** Carries an approved request out. @returns the transfer; null if no money moved. @throws CONFLICT if it was decided before. */
  async carryOut(
    tx: Transaction,
    payment: PaymentRow,
    approval: NamedApproval,
    by: ConsoleActor,
  ): Promise<bigint | null> {
    const { id, requester, reason } = approval;
    const decision = decisionOf(approval);
    const decider = { ...by, reason, approval: { id, requester } };
    return (await this.payments.decideIn(tx, payment, decision, decider)).transferId;
  }

  /** Returns the amount that is still to be debited, and the reference of that debit. @throws CONFLICT if nothing is left. */
  private async left(tx: Transaction, payment: IncomingPayment): Promise<Pick<Requested, 'amount' | 'reference'>> {
    const wanted = await this.payments.wanted(tx, payment);
    if (wanted.amount > 0n) return wanted;
    throw new AppError('CONFLICT', `payment ${payment.public_id} has nothing left to take back: keep it`);
  }

  private async toRequested(
    tx: Transaction,
    payment: IncomingPayment,
    decision: RequestedDecision,
  ): Promise<Requested> {
    const { public_id: publicId, amount, merchant_id } = payment;
    const kind: ApprovalKind = `payment_${decision.kind}`;
    const of = { kind, amount, merchant_id: null, deposit_id: null };
    switch (decision.kind) {
      case 'return':
        return { ...of, reference: decision.reference };
      case 'ignore':
        return { ...of, reference: publicId };
      case 'debit':
        return { ...of, merchant_id, ...(await this.left(tx, payment)) };
      case 'credit': {
        const reference = referenceOfPayment(publicId);
        const { recipient } = decision;
        if ('merchantId' in recipient) return { ...of, merchant_id: recipient.merchantId, reference };
        const deposit = await this.payments.depositOf(tx, payment, recipient.depositNumber);
        return { ...of, merchant_id: deposit.merchant_id, deposit_id: deposit.id, reference };
      }
    }
  }
}

const isSame = (waiting: NamedApproval, { kind, amount, reference, merchant_id, deposit_id }: Requested): boolean =>
  waiting.kind === kind &&
  waiting.amount === amount &&
  waiting.reference === reference &&
  waiting.merchant_id === merchant_id &&
  waiting.deposit_id === deposit_id;

function decisionOf(approval: NamedApproval): PaymentDecision {
  const { kind, amount, reference, merchant_id: merchantId, deposit_number: depositNumber } = approval;
  if (kind === 'payment_return') return { kind: 'return', reference };
  if (kind === 'payment_ignore') return { kind: 'ignore' };
  if (kind === 'payment_debit') return { kind: 'debit', expectedAmount: amount };
  const toMerchant = { merchantId: present(merchantId, 'a credit has its merchant') };
  return { kind: 'credit', recipient: depositNumber === null ? toMerchant : { depositNumber } };
}
