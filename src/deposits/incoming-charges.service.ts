import { Injectable } from '@nestjs/common';
import { groupBy } from '../core/groups.js';
import { paymentId } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import { Database, type Transaction } from '../database/database.js';
import { WalletService } from '../wallet/wallet.service.js';
import { ChannelsRepository } from './channels.repository.js';
import type { ConnectedChannel } from './channel-registry.js';
import type { ChargedPayment, ChargeReading } from './channels/channel-adapter.js';
import { DepositsRepository } from './deposits.repository.js';
import { DepositsObserver } from './deposits.observer.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import { IncomingPaymentsService, type MatchedPayment } from './incoming-payments.service.js';
import { referencesIn, type Match } from './matching.js';
import { PaymentsRepository } from './payments.repository.js';

/** A reading, and when its report arrived, in monotonic milliseconds. */
export interface ReceivedReading extends ChargeReading {
  readAtMs: number;
}

/** Whether a reading may change a payment. */
export const isReport = ({ reading: { kind } }: ChargeReading): boolean => kind === 'paid' || kind === 'reversed';

export interface ChargeCounts {
  new: number;
  booked: number;
  waiting: number;
  takenBack: number;
}

/** Records payments that a vendor's answers report, and cases of payments that it takes back. */
@Injectable()
export class IncomingChargesService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly payments: PaymentsRepository,
    private readonly deposits: DepositsRepository,
    private readonly incoming: IncomingPaymentsService,
    private readonly wallets: WalletService,
    private readonly observer: DepositsObserver,
  ) {}

  /**
   * Leaves out payments of other systems that use the same account at the vendor. A payment is ours if it is known here, or names
   * a deposit of ours. The merchant that it names proves nothing, because another system may number merchants as we do.
   */
  async onlyOurs(channelId: number, readings: readonly ChargeReading[]): Promise<ChargeReading[]> {
    const ids = readings.map(({ paymentId: id }) => id);
    const stored = await this.payments.listByCharge(this.database, channelId, ids);
    const isKnown = new Set(stored.map(({ charge_ref: charge }) => charge));
    const names = readings.flatMap(({ reading }) => (reading.kind === 'paid' ? namedIn(reading.payment) : []));
    const isOurs = await this.deposits.merchantsByName(this.database, channelId, names);
    return readings.filter(
      ({ paymentId: id, reading }) =>
        isKnown.has(id) || (reading.kind === 'paid' && namedIn(reading.payment).some((name) => isOurs.has(name))),
    );
  }

  /** Readings that report no payment change nothing. */
  async record(connected: ConnectedChannel, readings: readonly ReceivedReading[]): Promise<ChargeCounts> {
    if (!readings.some(isReport)) return NOTHING;
    return this.database.transaction(async (tx) => {
      const channel = await this.channels.lock(tx, connected.channel.id);
      return this.recordLocked(tx, { ...connected, channel }, readings);
    });
  }

  private async recordLocked(
    tx: Transaction,
    connected: ConnectedChannel,
    readings: readonly ReceivedReading[],
  ): Promise<ChargeCounts> {
    const { id: channelId, code } = connected.channel;
    const ids = readings.map(({ paymentId: id }) => id);
    const stored = await this.payments.listByCharge(tx, channelId, ids);
    const byCharge = new Map(stored.map((payment) => [payment.charge_ref, payment]));
    const paid = readings.flatMap(({ reading, readAtMs }) =>
      reading.kind === 'paid' ? [{ ...reading.payment, readAtMs }] : [],
    );
    const fresh = [...groupBy(paid, ({ chargeRef }) => chargeRef).values()]
      .map(([charge]) => charge)
      .filter(({ chargeRef }) => !byCharge.has(chargeRef));
    const amounts = new Map([
      ...fresh.map(({ chargeRef, amount }) => [chargeRef, amount] as const),
      ...[...byCharge].map(([charge, { amount }]) => [charge, amount] as const),
    ]);
    const takenBack = takenBackOf(readings, amounts);
    const matches = await this.match(tx, connected, fresh);
    const rows = fresh.map(({ chargeRef: charge_ref, amount, currency, paidAt: paid_at }, index): MatchedPayment => {
      const reported = { public_id: paymentId(code, 'charge', charge_ref), amount, currency, paid_at } as const;
      const found = present(matches[index], 'each payment has a match');
      const match = takenBack.has(charge_ref) ? tookBack(found) : found;
      return { row: { ...reported, precision: 'second', charge_ref, slip_ref: null, line_id: null }, match };
    });
    const states = await this.incoming.write(tx, channelId, rows);
    tx.afterCommit(() => {
      for (const [index, { readAtMs }] of fresh.entries())
        this.observer.reported(code, 'charge', states.slice(index, index + 1), readAtMs);
      const repeated = Array<string>(paid.length - fresh.length).fill('repeated');
      this.observer.reported(code, 'charge', repeated, performance.now());
    });
    for (const [index, { chargeRef, merchantId }] of fresh.entries())
      if (states[index] === 'waiting' && merchantId !== null)
        await this.payments.nameMerchant(tx, channelId, chargeRef, merchantId);
    const contradicted = paid.flatMap(({ chargeRef, amount, currency }) => {
      const payment = byCharge.get(chargeRef);
      return payment && (payment.amount !== amount || payment.currency !== currency) ? [payment.id] : [];
    });
    this.payments.contradict(tx, 'id', contradicted);
    const charges = [];
    for (const [charge, amount] of takenBack)
      charges.push({ charge, amount, debited: await this.debitedOf(tx, byCharge.get(charge)) });
    const changed = await this.payments.takeBack(tx, channelId, charges);
    const count = (state: string): number => states.filter((each) => each === state).length;
    return { new: fresh.length, booked: count('booked'), waiting: count('waiting'), takenBack: changed };
  }

  /** The sum that was debited for a payment, if that was the last decision about it. */
  private async debitedOf(tx: Transaction, payment: IncomingPayment | undefined): Promise<Satang> {
    if (payment?.decision !== 'debit') return 0n;
    const merchantId = present(payment.merchant_id, 'a debited payment has its merchant');
    return (await this.wallets.debitsOf(tx, merchantId, payment.public_id)).amount;
  }

  private match(tx: Transaction, connected: ConnectedChannel, charges: readonly ChargedPayment[]): Promise<Match[]> {
    const reported = charges.map((charge) => {
      const { chargeRef, amount, currency, paidAt } = charge;
      const references = [chargeRef, ...namedIn(charge)];
      return { amount, currency, paidAt, precision: 'second' as const, references, texts: [] };
    });
    return this.incoming.match(tx, connected, reported);
  }
}

/** A payment that went back before we knew it credits nobody. */
const tookBack = (match: Match): Match => {
  return { state: 'waiting', reason: 'TAKEN_BACK', deposit: 'deposit' in match ? match.deposit : null };
};

/**
 * The amounts that went back to payers, by charge. Several readings may be about one charge, in any order. Such an amount
 * only grows, so the largest one counts.
 * @param amounts the whole amounts of charges that a payment or a reading has.
 */
function takenBackOf(
  readings: readonly ChargeReading[],
  amounts: ReadonlyMap<string | null, Satang>,
): Map<string, Satang> {
  const takenBack = new Map<string, Satang>();
  for (const { paymentId: charge, reading } of readings) {
    const whole = reading.kind === 'reversed' ? (amounts.get(charge) ?? 0n) : 0n;
    const amount = reading.kind === 'paid' ? reading.payment.refunded : whole;
    if (amount > (takenBack.get(charge) ?? 0n)) takenBack.set(charge, amount);
  }
  return takenBack;
}

/**
 * The texts of a payment that may name deposits. Texts of another form are left out: any person may have written them,
 * and PostgreSQL refuses some characters.
 */
const namedIn = ({ references }: ChargedPayment): string[] => [
  ...references.filter((each) => /^dep_\w{16}$/.test(each)),
  ...references.flatMap(referencesIn),
];

const NOTHING: ChargeCounts = { new: 0, booked: 0, waiting: 0, takenBack: 0 };
