import { Injectable } from '@nestjs/common';
import { AppError, UnknownResource } from '../core/errors.js';
import { newDepositNumber, newDepositReference } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import { formatBaht, type Satang } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { textProblem } from '../core/text.js';
import { Database, type Transaction } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { referenceOfPayment, WalletService } from '../wallet/wallet.service.js';
import { BookingService } from './booking.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { DepositsRepository } from './deposits.repository.js';
import type { Deposit } from './deposit.entity.js';
import type { Decision, IncomingPayment } from './incoming-payment.entity.js';
import {
  CLOSING,
  isOpenCase,
  PaymentsRepository,
  type PaymentRow,
  type PaymentsFilter,
} from './payments.repository.js';

/** To which deposit a payment goes, or to which merchant without a deposit of its own. */
export type Recipient = { depositNumber: string } | { merchantId: number };

type Reasoned = Actor & { reason: string };

/** What a decision changes, and what the log has of it. */
interface Carried {
  change?: Partial<IncomingPayment>;
  detail?: { merchant_id?: number } & Record<string, unknown>;
}

/** Shows payments, and carries out operators' decisions about them. Each payment is decided once. */
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

  /** Credits a waiting payment. @throws NOT_FOUND; BAD_REQUEST for a sandbox merchant; CONFLICT if it does not wait. */
  async credit(publicId: string, recipient: Recipient, by: Reasoned): Promise<PaymentRow> {
    if ('merchantId' in recipient) await this.assertLive(recipient.merchantId);
    return this.decide('credit', publicId, by, async (tx, payment) => {
      const { amount, currency, paid_at: paidAt } = payment;
      if (currency !== 'THB') throw new AppError('CONFLICT', `payment ${publicId} is in ${currency}: wallets hold THB`);
      const deposit = await this.recipientOf(tx, payment, recipient);
      const { merchant_id, deposit_number } = deposit;
      const booking = {
        paymentId: publicId,
        amount,
        paidAt,
        deposit,
        bookedBy: 'person',
        operator: by.operator,
      } as const;
      const change = (await this.booking.book(tx, [booking])).get(publicId);
      if (!change) throw new AppError('CONFLICT', `the wallet of merchant ${merchant_id} cannot hold more`);
      return { change, detail: { merchant_id, deposit_number } };
    });
  }

  /** Records that a waiting payment was sent back outside of this service. @throws as {@link credit}. */
  async return(publicId: string, reference: string, by: Reasoned): Promise<PaymentRow> {
    const problem = textProblem(reference, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the reference ${problem}`);
    const change = { state: 'returned', deposit_id: null, returned_reference: reference } as const;
    return this.decide('return', publicId, by, () => ({ change, detail: { reference } }));
  }

  /** Records that a waiting payment belongs to no merchant. @throws as {@link credit}. */
  async ignore(publicId: string, by: Reasoned): Promise<PaymentRow> {
    return this.decide('ignore', publicId, by, () => ({ change: { state: 'ignored', deposit_id: null } }));
  }

  /**
   * Closes a case by taking the payment back from the wallet, as far as the wallet has it available.
   * @returns the payment, and what could not be taken. @throws NOT_FOUND; CONFLICT without an open case.
   */
  async debit(publicId: string, by: Reasoned): Promise<PaymentRow & { missing: Satang }> {
    let missing = 0n;
    const payment = await this.decide('debit', publicId, by, async (tx, { merchant_id, amount, taken_back }) => {
      const merchantId = present(merchant_id, 'a booked payment has its merchant');
      const wanted = taken_back ?? amount;
      const available = await this.wallets.lockAvailable(tx, merchantId);
      const taken = available < wanted ? available : wanted;
      missing = wanted - taken;
      const reference = `${referenceOfPayment(publicId)}:back`;
      if (taken > 0n)
        await this.wallets.fundIn(tx, 'debit', { ...by, merchantId, amount: taken, reference, ofPayment: true });
      return { detail: { taken: formatBaht(taken), missing: formatBaht(missing) } };
    });
    return { ...payment, missing };
  }

  /** Closes a case and leaves the money where it is. @throws as {@link debit}. */
  async keep(publicId: string, by: Reasoned): Promise<PaymentRow> {
    return this.decide('keep', publicId, by, () => ({}));
  }

  private async decide(
    decision: Decision,
    publicId: string,
    by: Reasoned,
    carryOut: (tx: Transaction, payment: IncomingPayment) => Promise<Carried> | Carried,
  ): Promise<PaymentRow> {
    assertActor(by);
    const { payment: found, channel } = await this.get(publicId);
    if (found.channel_id === SANDBOX_CHANNEL_ID)
      throw new AppError('BAD_REQUEST', `payment ${publicId} is of the sandbox: it has no real money`);
    await this.database.transaction(async (tx) => {
      await this.channels.lock(tx, found.channel_id);
      const payment = await this.payments.lock(tx, found.id);
      const wrong = CLOSING.includes(decision) ? ifOpenCase(payment) : ifWaiting(payment);
      if (wrong !== null) throw new AppError('CONFLICT', `payment ${publicId} ${wrong}`);
      const { change, detail: { merchant_id: merchantId = payment.merchant_id, ...facts } = {} } = await carryOut(
        tx,
        payment,
      );
      const decided = { decision, decided_by: by.operator, decision_reason: by.reason, decided_at: new Date() };
      await this.payments.change(tx, payment.id, { ...change, ...decided });
      recordAction(tx, by, {
        action: `payment.${decision}`,
        ...(merchantId !== null && { merchantId }),
        detail: { payment: publicId, channel, amount: formatBaht(payment.amount), ...facts },
      });
    });
    return this.get(publicId);
  }

  private async assertLive(merchantId: number): Promise<void> {
    const merchant = await this.merchants.get(merchantId);
    if (merchant.sandbox)
      throw new AppError('BAD_REQUEST', `merchant ${merchantId} is a sandbox merchant: it has no real money`);
  }

  private async recipientOf(tx: Transaction, payment: IncomingPayment, recipient: Recipient): Promise<Deposit> {
    if ('merchantId' in recipient) return this.makeDeposit(tx, payment, recipient.merchantId);
    const { depositNumber } = recipient;
    const named = await this.deposits.findByNumber(tx, depositNumber);
    if (!named) throw new UnknownResource('deposit', depositNumber);
    if (named.channel_id === payment.channel_id) return named;
    throw new AppError('BAD_REQUEST', `deposit ${depositNumber} is of another channel: give the merchant instead`);
  }

  /** The merchant sees the money as that of any other deposit. */
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

/** The operator who comes second learns what the first one did. */
function ifWaiting({ state, decision, decided_by: operator }: IncomingPayment): string | null {
  if (state === 'waiting') return null;
  return `${operator === null ? 'does not wait' : `was decided by ${operator} (${decision})`}: it is ${state}`;
}

function ifOpenCase(payment: IncomingPayment): string | null {
  if (isOpenCase(payment)) return null;
  const { state, decision, decided_by: operator } = payment;
  const isClosed = decision !== null && CLOSING.includes(decision);
  return isClosed ? `was decided by ${operator} (${decision})` : `is no open case: it is ${state}`;
}
