import { Injectable } from '@nestjs/common';
import { paymentId } from '../../core/identifiers.js';
import { SANDBOX_CHANNEL_ID } from '../../core/sandbox.js';
import { WorkerTask } from '../../core/worker-task.js';
import { Database, type Transaction } from '../../database/database.js';
import { BookingService, type Booking } from '../booking.service.js';
import { ChannelsRepository } from '../channels.repository.js';
import type { Deposit } from '../deposit.entity.js';
import { DepositsRepository, isUnfinished, type DepositRow } from '../deposits.repository.js';
import { InquiriesRepository, type SandboxDeposit } from '../inquiries.repository.js';
import { notBooked, PaymentsRepository, type NewPayment } from '../payments.repository.js';
import { SlipsRepository } from '../slips/slips.repository.js';
import { nextReport, PAID_AFTER, sandboxPayments, sandboxQr } from './sandbox-plan.js';

const BATCH = 100;
/** The wait before the next try to book a payment for which its wallet had no room, in seconds. */
const RETRY_AFTER = 60;

/** A payment that the sandbox's channel reports. */
interface Report extends Booking {
  chargeRef: string;
  isBooked: boolean;
}

/** Pays deposits of sandbox merchants: a deposit's amount decides how. No money is real, and no other wallet is credited. */
@Injectable()
export class SandboxPaymentsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly deposits: DepositsRepository,
    private readonly inquiries: InquiriesRepository,
    private readonly payments: PaymentsRepository,
    private readonly booking: BookingService,
    private readonly slips: SlipsRepository,
  ) {}

  @WorkerTask('sandbox_payments', { every: 500, failed: 'deposits of the sandbox could not be paid', once: true })
  async payDue(stop: AbortSignal): Promise<void> {
    let due: SandboxDeposit[];
    do {
      due = await this.inquiries.listDueInSandbox(BATCH);
      for (const deposit of due) if (!stop.aborted) await this.pay(deposit);
    } while (!stop.aborted && due.length === BATCH);
  }

  /** Records the channel's report, if it comes before the answer to the creation. @returns the deposit as it stands. */
  async takeFirstReport(row: DepositRow): Promise<DepositRow> {
    const { id, next_inquiry_at: reportedAt, created_at: madeAt } = row.deposit;
    if (reportedAt === null || reportedAt > madeAt) return row;
    for (const due of await this.inquiries.listDueInSandbox(1, id)) await this.pay(due);
    return this.deposits.readAgain(row);
  }

  /** Makes the QR code of a sandbox deposit that lacks one. @returns the deposit as it stands. */
  async finish(row: DepositRow): Promise<DepositRow> {
    const { id, amount_to_pay: amountToPay, channel_id: channelId } = row.deposit;
    if (channelId !== SANDBOX_CHANNEL_ID || !isUnfinished(row)) return row;
    const code = { kind: 'created', qrPayload: sandboxQr(amountToPay), qrImage: null, paymentId: null } as const;
    await this.deposits.finish(id, { ...code, expiresAt: null }, PAID_AFTER);
    return this.deposits.readAgain(row);
  }

  /** Records the deposit's first payment with the slip that was presented. @returns false if the payment has another slip. */
  takeSlip(depositId: bigint, slipRef: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.channels.lock(tx, SANDBOX_CHANNEL_ID);
      const deposit = await this.deposits.getById(tx, depositId);
      const report = firstReport(deposit, slipRef);
      const [known] = await this.payments.listByCharge(tx, SANDBOX_CHANNEL_ID, [report.chargeRef]);
      if (known && known.slip_ref !== null) return false;
      this.slips.lock(tx, SANDBOX_CHANNEL_ID);
      this.slips.confirm(tx, SANDBOX_CHANNEL_ID, slipRef);
      if (known) await this.payments.change(tx, known.id, { slip_ref: slipRef });
      await this.record(tx, [report]);
      return true;
    });
  }

  /** Records all reports about a deposit until now. A payment that is known changes only if it waits and must be booked now. */
  private async pay(deposit: SandboxDeposit): Promise<void> {
    const next = nextReport(deposit.amount, deposit.expires_in, deposit.reported_after);
    await this.database.transaction(async (tx) => {
      await this.channels.lock(tx, SANDBOX_CHANNEL_ID);
      const hadRoom = await this.record(tx, reportsOf(deposit));
      const again = hadRoom ? null : Math.ceil(deposit.reported_after) + RETRY_AFTER;
      this.inquiries.setInquiry(tx, deposit.id, next ?? again);
    });
  }

  /** @returns whether the wallet had room for all payments that must be booked now. */
  private async record(tx: Transaction, reports: Report[]): Promise<boolean> {
    const charges = reports.map(({ chargeRef }) => chargeRef);
    const found = await this.payments.listByCharge(tx, SANDBOX_CHANNEL_ID, charges);
    const known = new Map(found.map((payment) => [payment.charge_ref, payment]));
    const fresh = reports.filter(({ chargeRef }) => !known.has(chargeRef));
    const decided = reports.flatMap((report) => {
      const payment = known.get(report.chargeRef);
      return report.isBooked && payment?.state === 'waiting' ? [{ ...report, id: payment.id }] : [];
    });
    const booked = await this.booking.book(tx, [...fresh.filter(({ isBooked }) => isBooked), ...decided]);
    const outcomeOf = ({ paymentId: id, isBooked }: Report) => {
      const waiting = { state: 'waiting', reason: isBooked ? 'WALLET_FULL' : 'UNMATCHED' } as const;
      return booked.get(id) ?? waiting;
    };
    const rows = fresh.map((report): NewPayment => {
      const { paymentId: public_id, amount, paidAt: paid_at, chargeRef: charge_ref, slipRef: slip_ref } = report;
      const reported = { public_id, amount, currency: 'THB', paid_at, precision: 'second', charge_ref } as const;
      return { ...notBooked({ ...reported, slip_ref, line_id: null }), ...outcomeOf(report) };
    });
    this.payments.insert(tx, SANDBOX_CHANNEL_ID, rows);
    for (const report of decided) await this.payments.change(tx, report.id, outcomeOf(report));
    return [...fresh, ...decided].every((report) => !report.isBooked || booked.has(report.paymentId));
  }
}

/** The charge of a deposit's payment with this number. */
const chargeOf = ({ deposit_number }: Pick<SandboxDeposit, 'deposit_number'>, number: number) => {
  const chargeRef = `${deposit_number}-${number}`;
  return { chargeRef, paymentId: paymentId('sandbox', 'charge', chargeRef), operator: null };
};

const firstReport = (deposit: Deposit, slipRef: string): Report => ({
  ...chargeOf(deposit, 1),
  amount: deposit.amount_to_pay + (sandboxPayments(deposit.amount, 0)[0]?.difference ?? 0n),
  paidAt: new Date(),
  slipRef,
  deposit,
  bookedBy: 'reference',
  isBooked: true,
});

function reportsOf(deposit: SandboxDeposit): Report[] {
  const { amount, amount_to_pay, expires_in, reported_after, created_at } = deposit;
  return sandboxPayments(amount, expires_in).flatMap(({ paidAfter, bookedAfter, difference }, index): Report[] => {
    if (paidAfter > reported_after) return [];
    return [
      {
        ...chargeOf(deposit, index + 1),
        amount: amount_to_pay + difference,
        paidAt: new Date(created_at.getTime() + paidAfter * 1_000),
        slipRef: null,
        deposit,
        bookedBy: bookedAfter > paidAfter ? 'person' : 'reference',
        isBooked: bookedAfter <= reported_after,
      },
    ];
  });
}
