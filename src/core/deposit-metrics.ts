import { Instruments, ORDER_SECONDS } from './instruments.js';

/** The metrics of deposits that are not read from PostgreSQL. */
export abstract class DepositMetrics extends Instruments {
  /** `transition` is `created`, `paid` (by its first payment), `expired` or `cancelled`. */
  readonly depositChanged = this.counting<[channel: string, transition: string]>(
    'topup_deposits_total',
    'Deposits created, paid, expired and cancelled',
    ['channel', 'transition'],
  );
  readonly amountsShort = this.counting<[channel: string]>(
    'topup_deposit_amounts_short_total',
    'Deposits that were refused because every amount near theirs was reserved',
    ['channel'],
  );
  private readonly incomingPayments = this.counter(
    'topup_incoming_payments_total',
    'Reports of incoming payments, by their outcome',
    ['channel', 'outcome'],
  );
  private readonly depositBooking = this.histogram(
    'topup_deposit_booking_seconds',
    'From the receipt of a report of a payment to the commit of its booking, unless an operator decided',
    ['channel', 'witness'],
    ORDER_SECONDS,
  );

  /** @param outcome the kind of the slip service's answer. */
  readonly slipChecked = this.counting<[channel: string, outcome: string]>(
    'topup_slip_checks_total',
    'Slips that a slip service was to check, by the kind of the result',
    ['channel', 'outcome'],
  );

  /** @param outcome the kind of the result, or the fault that the vendor reports; `ok` or `failed` for a probe. */
  readonly channelCalled = this.counting<[channel: string, kind: string, outcome: string]>(
    'topup_channel_calls_total',
    'Calls to the vendors of channels, by kind and outcome',
    ['channel', 'kind', 'outcome'],
  );
  /** @param verdict the result of a callback, or `limited` if it was refused for its rate. */
  readonly channelCalledBack = this.counting<[channel: string, verdict: string]>(
    'topup_channel_callbacks_total',
    'Callbacks about payments from the vendors of channels, by result',
    ['channel', 'verdict'],
  );

  /** @param outcome `booked`, `waiting`, `ignored`, `repeated` or `linked`. */
  paymentsArrived(channel: string, outcome: string, times: number): void {
    this.incomingPayments.inc({ channel, outcome }, times);
  }

  paymentBooked(channel: string, witness: 'charge' | 'slip' | 'line', seconds: number): void {
    this.depositBooking.observe({ channel, witness }, seconds);
  }
}
