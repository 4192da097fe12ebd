import { Injectable } from '@nestjs/common';
import { invariant, present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import type { Transaction } from '../database/database.js';
import { WalletService } from '../wallet/wallet.service.js';
import { DepositsRepository } from './deposits.repository.js';

/** A payment that goes to the wallet of a deposit's merchant. */
export interface Booking {
  /** The public id of the payment. */
  paymentId: string;
  amount: Satang;
  paidAt: Date;
  deposit: { id: bigint; merchant_id: number };
  /** The operator who decided; null if the payment was recognized. */
  operator: string | null;
}

/**
 * Books payments: the wallet's credit and the deposit, in one transaction with the payment itself.
 *
 * Locks are always taken in this order: the channel, a payment on which an operator decides, wallets by merchant, deposits by id.
 * - The channel's lock lets one transaction at a time pay deposits of the channel. So two witnesses of one payment, two imports,
 *   or an import and an operator can't book it twice. Creations of deposits do not take this lock, and never wait for it.
 * - Orders take a wallet's lock and no other of these, so they can't deadlock with a booking. All matching is done before the wallets are
 *   locked, and what follows is a fixed number of statements for any number of payments: orders wait briefly.
 * - Beyond the locks, PostgreSQL refuses a second booking: an identity is one payment, a transfer belongs to one payment, and the
 *   credit's reference is made of the payment's identity.
 */
@Injectable()
export class BookingService {
  constructor(
    private readonly wallets: WalletService,
    private readonly deposits: DepositsRepository,
  ) {}

  /** The caller must hold the channel's lock. @returns the transfers by the public ids of the payments. */
  async book(tx: Transaction, bookings: Booking[]): Promise<Map<string, { transfer_id: bigint; booked_at: Date }>> {
    if (bookings.length === 0) return new Map();
    const credits = bookings.map(({ paymentId, amount, deposit, operator }) => {
      return { merchantId: deposit.merchant_id, amount, paymentId, operator };
    });
    const made = await this.wallets.creditPayments(tx, credits);
    const paid = bookings.map(({ deposit, amount, paidAt }) => ({ id: deposit.id, amount, paid_at: paidAt }));
    const count = await this.deposits.pay(tx, paid);
    invariant(count === new Set(paid.map(({ id }) => id)).size, 'each booked payment has its deposit');
    return new Map(
      bookings.map(({ paymentId }) => {
        const { id, created_at } = present(made.get(paymentId), 'a payment has its credit');
        return [paymentId, { transfer_id: id, booked_at: created_at }];
      }),
    );
  }
}
