import { Injectable } from '@nestjs/common';
import { paymentId } from '../../core/identifiers.js';
import { present } from '../../core/invariant.js';
import { SANDBOX_CHANNEL_ID } from '../../core/sandbox.js';
import { WorkerTask } from '../../core/worker-task.js';
import { Database, type Transaction } from '../../database/database.js';
import { BookingService, type Booking } from '../booking.service.js';
import { ChannelsRepository } from '../channels.repository.js';
import { DepositsRepository, type DepositRow, type DueDeposit } from '../deposits.repository.js';
import type { IncomingPayment } from '../incoming-payment.entity.js';
import { NOT_BOOKED, PaymentsRepository } from '../payments.repository.js';
import { nextReport, PAID_AFTER, sandboxPayments, sandboxQr } from './sandbox-plan.js';

const BATCH = 100;

/** A payment that the sandbox's channel reports. */
interface Report extends Booking {
  chargeRef: string;
  bookedBy: 'reference' | 'person';
  isBooked: boolean;
}

/** Pays deposits of sandbox merchants, as their amounts say. None of it is real money, and no other wallet is credited. */
@Injectable()
export class SandboxPaymentsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly deposits: DepositsRepository,
    private readonly payments: PaymentsRepository,
    private readonly booking: BookingService,
  ) {}

  @WorkerTask('sandbox_payments', { every: 500, failed: 'deposits of the sandbox could not be paid', once: true })
  async payDue(stop: AbortSignal): Promise<void> {
    let due: DueDeposit[];
    do {
      due = await this.deposits.findDue(BATCH);
      for (const deposit of due) if (!stop.aborted) await this.pay(deposit);
    } while (!stop.aborted && due.length === BATCH);
  }

  /** Takes what the channel reports before a creation is answered. @returns the deposit as it stands. */
  async takeFirstReport(row: DepositRow): Promise<DepositRow> {
    const { id, next_inquiry_at: reportedAt, created_at: madeAt } = row.deposit;
    if (reportedAt === null || reportedAt > madeAt) return row;
    for (const due of await this.deposits.findDue(1, id)) await this.pay(due);
    return this.readAgain(row);
  }

  /** Gives a deposit its QR code, if the channel gave none before. @returns the deposit as it stands. */
  async finish(row: DepositRow): Promise<DepositRow> {
    const { id, qr_payload: payload, status, amount_to_pay: amountToPay, channel_id: channelId } = row.deposit;
    if (payload !== null || status !== 'pending' || channelId !== SANDBOX_CHANNEL_ID) return row;
    await this.deposits.finish(id, sandboxQr(amountToPay), PAID_AFTER);
    return this.readAgain(row);
  }

  private async readAgain({ deposit }: DepositRow): Promise<DepositRow> {
    const { merchant_id: merchantId, reference_id: referenceId } = deposit;
    return present(await this.deposits.find(this.database, merchantId, referenceId), 'a deposit stays');
  }

  /** Takes what the channel reports of a deposit until now. What was reported before changes nothing. */
  private async pay(deposit: DueDeposit): Promise<void> {
    const next = nextReport(deposit.amount, deposit.expires_in, deposit.reported_after);
    await this.database.transaction(async (tx) => {
      await this.channels.lock(tx, SANDBOX_CHANNEL_ID);
      await this.take(tx, reportsOf(deposit));
      this.deposits.setInquiry(tx, deposit.id, next);
    });
  }

  private async take(tx: Transaction, reports: Report[]): Promise<void> {
    const charges = reports.map(({ chargeRef }) => chargeRef);
    const known = await this.payments.findCharges(tx, SANDBOX_CHANNEL_ID, charges);
    const knownOf = ({ chargeRef }: Report) => known.find(({ charge_ref }) => charge_ref === chargeRef);
    const fresh = reports.filter((each) => !knownOf(each));
    const waited = reports.filter((each) => knownOf(each)?.state === 'waiting');
    const booked = [...fresh, ...waited].filter(({ isBooked }) => isBooked);
    const transfers = await this.booking.book(tx, booked);
    const outcomeOf = ({ paymentId: id, bookedBy: booked_by, isBooked, deposit }: Report) => {
      const transfer = transfers.get(id);
      if (!transfer)
        return { ...NOT_BOOKED, state: 'waiting', reason: isBooked ? 'WALLET_FULL' : 'UNMATCHED' } as const;
      const { id: deposit_id, merchant_id } = deposit;
      return { state: 'booked', reason: null, deposit_id, merchant_id, booked_by, ...transfer } as const;
    };
    const rows = fresh.map((report) => {
      const { paymentId: public_id, amount, paidAt: paid_at, chargeRef: charge_ref } = report;
      const row = {
        public_id,
        amount,
        currency: 'THB',
        paid_at,
        precision: 'second',
        charge_ref,
        line_id: null,
      } as const;
      return { ...row, ...outcomeOf(report) };
    });
    this.payments.insert(tx, SANDBOX_CHANNEL_ID, rows);
    for (const report of waited) {
      const { id } = knownOf(report) as IncomingPayment;
      if (report.isBooked) await this.payments.change(tx, id, outcomeOf(report));
    }
  }
}

function reportsOf(deposit: DueDeposit): Report[] {
  const { amount, amount_to_pay, expires_in, reported_after, created_at, deposit_number } = deposit;
  return sandboxPayments(amount, expires_in).flatMap(({ paidAfter, bookedAfter, difference }, index): Report[] => {
    if (paidAfter > reported_after) return [];
    const chargeRef = `${deposit_number}-${index + 1}`;
    const paidAt = new Date(created_at.getTime() + paidAfter * 1_000);
    const booking = {
      paymentId: paymentId('sandbox', 'charge', chargeRef),
      amount: amount_to_pay + difference,
      paidAt,
    };
    const isBooked = bookedAfter <= reported_after;
    return [
      {
        ...booking,
        deposit,
        operator: null,
        chargeRef,
        bookedBy: bookedAfter > paidAfter ? 'person' : 'reference',
        isBooked,
      },
    ];
  });
}
