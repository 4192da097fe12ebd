import { Injectable } from '@nestjs/common';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { newDepositNumber, newDepositReference } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import { formatBaht, type Satang } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { textProblem } from '../core/text.js';
import { Database, type Transaction } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { assertAsExpected, WalletService } from '../wallet/wallet.service.js';
import { BookingService } from './booking.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { DepositsRepository } from './deposits.repository.js';
import type { Deposit } from './deposit.entity.js';
import type { Decision, IncomingPayment, PaymentReason } from './incoming-payment.entity.js';
import {
  CLOSING,
  isOpenCase,
  PaymentsRepository,
  type PaymentRow,
  type PaymentsFilter,
} from './payments.repository.js';

/** The deposit to which a payment goes; or a merchant, which then gets a new deposit for it. */
export type Recipient = { depositNumber: string } | { merchantId: number };

/**
 * What an operator decides.
 * - `credit`: credit a waiting payment. `expectedVersion`: that of {@link versionOf} which the operator saw.
 * - `return`: record that a waiting payment was sent back outside of this service, with the reference of the transfer.
 * - `ignore`: record that a waiting payment belongs to no merchant.
 * - `debit`: close a case by taking the payment from the wallet, or the part of it that went back to the payer, as far
 *   as the wallet has it available.
 * - `keep`: close a case and leave the money where it is.
 */
export type PaymentDecision =
  | { kind: 'credit'; recipient: Recipient; expectedVersion?: string | undefined }
  | { kind: 'return'; reference: string }
  | { kind: 'debit'; expectedAvailable?: Satang | undefined; expectedAmount?: Satang | undefined }
  | { kind: 'ignore' | 'keep' };

/** The operator who decides. For an approved decision, this is the approver, with the requester's reason. */
type Decider = Actor & { reason: string; approval?: { id: number; requester: string } };

/** The result of a decision. */
interface Outcome {
  /** The credit or debit of the wallet; null if no money moved. */
  transferId: bigint | null;
  /** What could not be taken from the wallet. */
  missing: Satang;
}

/** The changes that a decision makes, and its detail for the audit log. */
interface Carried extends Partial<Outcome> {
  change?: Partial<IncomingPayment>;
  detail?: { merchant_id?: number } & Record<string, unknown>;
}

const IS_BOOKED_THERE = ', which books this payment itself: ignore this one once the deposit is paid';

/** Shows payments, and carries out operators' decisions. A waiting payment is decided once, and each open case is closed once. */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly deposits: DepositsRepository,
    private readonly channels: ChannelsRepository,
    private readonly booking: BookingService,
    private readonly wallets: WalletService,
    private readonly merchants: MerchantsService,
  ) {}

  list(filter: PaymentsFilter): Promise<PaymentRow[]> {
    return this.payments.list(filter);
  }

  /** @throws NOT_FOUND */
  async get(publicId: string): Promise<PaymentRow> {
    const found = await this.payments.find(publicId);
    if (!found) throw new UnknownResource('payment', publicId);
    return found;
  }

  /**
   * Carries a decision out.
   * @throws NOT_FOUND; BAD_REQUEST; CONFLICT if the payment does not wait, is no open case or was decided already.
   */
  async decide(publicId: string, decision: PaymentDecision, by: Decider): Promise<PaymentRow & { missing: Satang }> {
    const found = await this.check(publicId, decision, by);
    const { missing } = await this.database.transaction((tx) => this.decideIn(tx, found, decision, by));
    return { ...(await this.get(publicId)), missing };
  }

  /** Checks a decision as far as that needs no lock. @throws as {@link decide}. */
  async check(publicId: string, decision: PaymentDecision, by: Decider): Promise<PaymentRow> {
    assertActor(by);
    const found = await this.get(publicId);
    if (found.payment.channel_id === SANDBOX_CHANNEL_ID)
      throw new AppError('BAD_REQUEST', `payment ${publicId} is of the sandbox: it has no real money`);
    if (decision.kind === 'credit' && 'merchantId' in decision.recipient)
      await this.assertLive(decision.recipient.merchantId);
    const problem = decision.kind === 'return' ? textProblem(decision.reference, 1, 128) : null;
    if (problem) throw new AppError('BAD_REQUEST', `the reference ${problem}`);
    assertDecidable(found.payment, decision.kind);
    return found;
  }

  /** Locks a payment against other decisions, and against imports. */
  async lock(tx: Transaction, { channel_id, id }: IncomingPayment): Promise<IncomingPayment> {
    await this.channels.lock(tx, channel_id);
    return this.payments.lock(tx, id);
  }

  /**
   * The amount that is still to be debited for an open case, whether or not the wallet has it. Null if nothing is left, or the
   * payment is no open case.
   */
  async toTakeBack(payment: IncomingPayment): Promise<Satang | null> {
    if (!isOpenCase(payment)) return null;
    const { amount } = await this.wanted(this.database, payment);
    return amount > 0n ? amount : null;
  }

  /**
   * The amount that is still to be debited for a booked payment, whether or not the wallet has it, and the reference of that
   * debit. A caller that debits must hold the payment's lock.
   */
  async wanted(
    from: Pick<Database, 'manager'>,
    payment: IncomingPayment,
  ): Promise<{ amount: Satang; reference: string }> {
    const { public_id: publicId, merchant_id, amount, taken_back } = payment;
    const merchantId = present(merchant_id, 'a booked payment has its merchant');
    const earlier = await this.wallets.debitsOf(from, merchantId, publicId);
    const left = (taken_back ?? amount) - earlier.amount;
    return { amount: left > 0n ? left : 0n, reference: earlier.next };
  }

  /** A deposit to which a payment may be credited. @throws NOT_FOUND; BAD_REQUEST for a deposit of another channel. */
  async depositOf(tx: Transaction, payment: IncomingPayment, depositNumber: string): Promise<Deposit> {
    const named = await this.deposits.findByNumber(tx, depositNumber);
    if (!named) throw new UnknownResource('deposit', depositNumber);
    if (named.channel_id === payment.channel_id) return named;
    // If matching found this deposit, two channels have one account, and the other channel books the payment. A credit would be a
    // second booking.
    const advice = payment.deposit_id === named.id ? IS_BOOKED_THERE : ': give the merchant instead';
    throw new AppError('BAD_REQUEST', `deposit ${depositNumber} is of another channel${advice}`);
  }

  /** Carries a checked decision out in the caller's transaction. @throws CONFLICT as {@link decide}. */
  async decideIn(tx: Transaction, found: PaymentRow, decision: PaymentDecision, by: Decider): Promise<Outcome> {
    const payment = await this.lock(tx, found.payment);
    const { public_id: publicId } = payment;
    assertDecidable(payment, decision.kind);
    const { change, detail, transferId = null, missing = 0n } = await this.carryOut(tx, payment, decision, by);
    const { merchant_id: merchantId = payment.merchant_id, ...facts } = detail ?? {};
    const decided = { decided_by: by.operator, decision_reason: by.reason, decided_at: new Date() };
    await this.payments.change(tx, payment.id, { ...change, decision: decision.kind, ...decided });
    const { approval } = by;
    recordAction(tx, by, {
      action: `payment.${decision.kind}`,
      ...(merchantId !== null && { merchantId }),
      detail: {
        payment: publicId,
        channel: found.channel,
        amount: formatBaht(payment.amount),
        ...facts,
        ...(approval && { approval_id: approval.id, requested_by: approval.requester }),
      },
    });
    return { transferId, missing };
  }

  private carryOut(
    tx: Transaction,
    payment: IncomingPayment,
    decision: PaymentDecision,
    by: Decider,
  ): Promise<Carried> | Carried {
    switch (decision.kind) {
      case 'credit':
        return this.credit(tx, payment, decision, by);
      case 'return': {
        const { reference } = decision;
        return {
          change: { state: 'returned', deposit_id: null, returned_reference: reference },
          detail: { reference },
        };
      }
      case 'ignore':
        return { change: { state: 'ignored', deposit_id: null } };
      case 'debit':
        return this.debit(tx, payment, decision, by);
      case 'keep':
        return {};
    }
  }

  private async credit(
    tx: Transaction,
    payment: IncomingPayment,
    { recipient, expectedVersion }: Extract<PaymentDecision, { kind: 'credit' }>,
    by: Decider,
  ): Promise<Carried> {
    const { public_id: paymentId, amount, paid_at: paidAt, slip_ref: slipRef } = payment;
    if (expectedVersion !== undefined && expectedVersion !== versionOf(payment))
      throw new ChangedMeanwhile(`payment ${paymentId} has changed: nothing was moved`, 'expected_version');
    const deposit = await this.recipientOf(tx, payment, recipient);
    const { merchant_id, deposit_number } = deposit;
    const who = by.approval ? { operator: by.approval.requester, approvedBy: by.operator } : { operator: by.operator };
    const booking = { paymentId, amount, paidAt, slipRef, deposit, bookedBy: 'person', ...who } as const;
    const change = (await this.booking.book(tx, [booking])).get(paymentId);
    if (!change) throw new AppError('CONFLICT', `the wallet of merchant ${merchant_id} cannot hold more`);
    return {
      change: { ...change, reason: caseAfterCredit(payment) },
      detail: { merchant_id, deposit_number },
      transferId: change.transfer_id,
    };
  }

  private async debit(
    tx: Transaction,
    payment: IncomingPayment,
    { expectedAvailable, expectedAmount }: Extract<PaymentDecision, { kind: 'debit' }>,
    by: Decider,
  ): Promise<Carried> {
    const merchantId = present(payment.merchant_id, 'a booked payment has its merchant');
    const available = await this.wallets.lockAvailable(tx, merchantId);
    const { amount: wanted, reference } = await this.wanted(tx, payment);
    if (expectedAmount !== undefined && expectedAmount !== wanted) {
      const now = `${formatBaht(wanted)} THB of payment ${payment.public_id} are to be taken back now`;
      throw by.approval
        ? new ChangedMeanwhile(`${now}: reject the request`, 'amount')
        : new ChangedMeanwhile(`${now}: nothing was moved`, 'expected_to_take_back');
    }
    assertAsExpected({ merchant_id: merchantId, available }, { expectedAvailable });
    const taken = available < wanted ? available : wanted;
    const missing = wanted - taken;
    const approval = by.approval && { ...by.approval, reason: by.reason };
    const movement = { ...by, approval, merchantId, amount: taken, reference, ofPayment: true } as const;
    const transferId = taken > 0n ? (await this.wallets.moveIn(tx, 'debit', movement)).transferId : null;
    return { detail: { taken: formatBaht(taken), missing: formatBaht(missing) }, transferId, missing };
  }

  private async assertLive(merchantId: number): Promise<void> {
    const merchant = await this.merchants.get(merchantId);
    if (merchant.sandbox)
      throw new AppError('BAD_REQUEST', `merchant ${merchantId} is a sandbox merchant: it has no real money`);
  }

  private async recipientOf(tx: Transaction, payment: IncomingPayment, recipient: Recipient): Promise<Deposit> {
    if ('merchantId' in recipient) return this.makeDeposit(tx, payment, recipient.merchantId);
    return this.depositOf(tx, payment, recipient.depositNumber);
  }

  /** Makes a deposit for the payment, so that the merchant sees the money as for any other deposit. */
  private async makeDeposit(tx: Transaction, payment: IncomingPayment, merchantId: number): Promise<Deposit> {
    const { channel_id: channelId, public_id: referenceId, amount } = payment;
    const ours = { depositNumber: newDepositNumber(), reference: newDepositReference(), source: 'operator' } as const;
    const ended = {
      amount,
      amountToPay: amount,
      qrPayload: null,
      holdsAmount: false,
      seconds: 0,
      holdHours: 0,
      metadata: null,
      inquiryAfter: null,
    };
    const made = await this.deposits.insert(tx, { ...ours, ...ended, merchantId, channelId, referenceId });
    if (made) return made.deposit;
    throw new AppError('CONFLICT', `merchant ${merchantId} has a deposit ${referenceId}: give its number`);
  }
}

/**
 * Changes with the first contradiction, and with each refund and each other reason to wait that is reported about the payment. Another
 * payment that is reported of the same deposit changes nothing here.
 */
export const versionOf = ({ reason, taken_back, contradicted }: IncomingPayment): string =>
  [reason ?? 'NONE', taken_back ?? 0n, contradicted].join(' ');

/** @throws CONFLICT */
function assertDecidable(payment: IncomingPayment, decision: Decision): void {
  const wrong =
    (CLOSING.includes(decision) ? ifOpenCase(payment) : ifWaiting(payment)) ??
    (decision === 'credit' ? (ifBaht(payment) ?? ifStillThere(payment)) : null);
  if (wrong !== null) throw new AppError('CONFLICT', `payment ${payment.public_id} ${wrong}`);
}

/**
 * The credit does not decide about a contradiction or refund that was reported while the payment waited, nor about a statement
 * that does not show the payment. So the credited payment is then a case.
 */
function caseAfterCredit({ contradicted, taken_back, reason }: IncomingPayment): PaymentReason | null {
  if (contradicted) return 'CONTRADICTION';
  if (taken_back !== null) return 'TAKEN_BACK';
  return reason === 'NOT_IN_STATEMENT' ? reason : null;
}

/** Names an earlier decision, so that a second operator learns of it. */
function ifWaiting({ state, decision, decided_by: operator }: IncomingPayment): string | null {
  if (state === 'waiting') return null;
  return `${operator === null ? 'does not wait' : `was decided by ${operator} (${decision})`}: it is ${state}`;
}

const ifBaht = ({ currency }: IncomingPayment): string | null =>
  currency === 'THB' ? null : `is in ${currency}, and wallets hold THB: return or ignore it`;

/** A payment that went back whole before its credit must credit nobody. */
const ifStillThere = ({ amount, taken_back }: IncomingPayment): string | null =>
  taken_back !== null && taken_back >= amount
    ? 'went back to the payer whole: record that by return, with the reference of the refund'
    : null;

function ifOpenCase(payment: IncomingPayment): string | null {
  if (isOpenCase(payment)) return null;
  const { state, decision, decided_by: operator } = payment;
  const isClosed = decision !== null && CLOSING.includes(decision);
  return isClosed ? `was decided by ${operator} (${decision})` : `is no open case: it is ${state}`;
}
