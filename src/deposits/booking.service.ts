import { Injectable } from '@nestjs/common';
import { groupBy } from '../core/groups.js';
import { present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import type { Transaction } from '../database/database.js';
import { recordEvents, type MerchantEvent } from '../events/event-log.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { WalletService } from '../wallet/wallet.service.js';
import { paidEvent } from './deposit.mapper.js';
import { DepositsObserver } from './deposits.observer.js';
import { DepositsRepository, withPayments, type BookedPayment, type DepositOfChannel } from './deposits.repository.js';

/** A payment that goes to the wallet of a deposit's merchant. */
export interface Booking {
  /** The public id of the payment. */
  paymentId: string;
  amount: Satang;
  paidAt: Date;
  /** The reference of the slip that reports the payment; null without one. */
  slipRef: string | null;
  deposit: { id: bigint; merchant_id: number };
  /** How the deposit was found. */
  bookedBy: 'reference' | 'amount' | 'person';
  /** The operator who credits the payment, or requested an approved credit. Null if a report alone books the payment. */
  operator: string | null;
  /** The operator who approved the credit, if an approval was needed. */
  approvedBy?: string;
}

/** The members that a booking sets in its payment. */
interface BookedMembers {
  state: 'booked';
  reason: null;
  deposit_id: bigint;
  merchant_id: number;
  transfer_id: bigint;
  booked_by: Booking['bookedBy'];
  booked_at: Date;
}

/**
 * Books payments: credits the wallet, pays the deposit and records the merchant's event. The caller writes the payment itself in
 * the same transaction.
 *
 * Transactions acquire locks in this order: the channel, a slip, the channel's slips, a payment on which an operator decides,
 * wallets by merchant, an approval, the operator who requested it, deposits by id.
 * - The channel's lock lets one transaction at a time pay deposits of the channel. So two witnesses of one payment, two imports,
 *   or an import and an operator can't book it twice. Creations of deposits need no such lock, and never wait for it.
 * - Orders acquire a wallet's lock and no other of these, so they can't deadlock with a booking. All matching is done before the
 *   wallets are locked, and a booking is a fixed number of statements for any number of payments: orders wait briefly.
 * - Beyond the locks, PostgreSQL refuses a second booking: a line, a charge, a slip and a transfer can each belong to one payment
 *   only, and the credit's reference is derived from the payment's identity.
 */
@Injectable()
export class BookingService {
  constructor(
    private readonly wallets: WalletService,
    private readonly deposits: DepositsRepository,
    private readonly notifier: WorkNotifier,
    private readonly observer: DepositsObserver,
  ) {}

  /**
   * The caller must hold the channel's lock.
   * @returns the new members of each booked payment, by its public id. A payment that its wallet can't hold is not booked, and is
   * left out.
   */
  async book(tx: Transaction, bookings: Booking[]): Promise<Map<string, BookedMembers>> {
    if (bookings.length === 0) return new Map();
    const credits = bookings.map(({ paymentId, amount, deposit, operator, approvedBy = null }) => {
      return { merchantId: deposit.merchant_id, amount, paymentId, operator, approvedBy };
    });
    const earlier = await this.deposits.paymentsOf(
      tx,
      bookings.map(({ deposit }) => deposit),
    );
    const made = await this.wallets.creditPayments(tx, credits);
    const booked = bookings.flatMap(
      ({ paymentId: public_id, amount, paidAt: paid_at, slipRef: slip_ref, deposit, bookedBy: booked_by }) => {
        const credit = made.get(public_id);
        if (!credit) return [];
        const members: BookedMembers = {
          state: 'booked',
          reason: null,
          deposit_id: deposit.id,
          merchant_id: deposit.merchant_id,
          transfer_id: credit.id,
          booked_by,
          booked_at: credit.created_at,
        };
        return [{ public_id, amount, paid_at, slip_ref, members, ...members }];
      },
    );
    const deposits = await this.deposits.pay(
      tx,
      booked.map(({ deposit_id: id, amount, paid_at }) => ({ id, amount, paid_at })),
    );
    const before = new Set(earlier.map(({ deposit_id }) => deposit_id));
    this.observer.changed(
      tx,
      'paid',
      deposits.filter(({ id }) => !before.has(id)),
    );
    const webhooks = recordEvents(tx, eventsOf(booked, deposits, [...earlier, ...booked]));
    tx.afterCommit(async () => this.notifier.notifyWebhooks(await webhooks));
    return new Map(booked.map(({ public_id, members }) => [public_id, members]));
  }
}

/** One event for each booked payment, with its deposit and all booked payments of that deposit. */
function eventsOf(booked: BookedPayment[], deposits: DepositOfChannel[], payments: BookedPayment[]): MerchantEvent[] {
  const byId = new Map(deposits.map((deposit) => [deposit.id, deposit]));
  const ofDeposit = groupBy(payments, ({ deposit_id }) => deposit_id);
  return booked.map((payment) => {
    const deposit = present(byId.get(payment.deposit_id), 'each booked payment has its deposit');
    return paidEvent(withPayments(deposit, ofDeposit.get(deposit.id) ?? []), payment);
  });
}
