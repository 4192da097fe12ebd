import { Injectable } from '@nestjs/common';
import { Metrics } from '../core/metrics.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import type { Transaction } from '../database/database.js';

/** Counts changes of deposits and reports of payments. Leaves out deposits of the sandbox. */
@Injectable()
export class DepositsObserver {
  constructor(private readonly metrics: Metrics) {}

  /** Counts changes once they are committed. */
  changed(
    tx: Transaction,
    transition: 'created' | 'paid' | 'expired' | 'cancelled',
    deposits: readonly { channel_id: number; channel: string }[],
  ): void {
    const live = deposits.filter(({ channel_id }) => channel_id !== SANDBOX_CHANNEL_ID);
    tx.afterCommit(() => live.forEach(({ channel }) => this.metrics.depositChanged(channel, transition)));
  }

  /** Counts a deposit that got no amount, and so was not made. */
  amountsShort({ id, code }: { id: number; code: string }): void {
    if (id !== SANDBOX_CHANNEL_ID) this.metrics.amountsShort(code);
  }

  /**
   * Counts the outcomes of a witness's reports. To be called after the commit.
   * @param readAtMs when the reports arrived, in monotonic milliseconds.
   */
  reported(channel: string, witness: 'charge' | 'line' | 'slip', outcomes: Iterable<string>, readAtMs: number): void {
    const seconds = (performance.now() - readAtMs) / 1_000;
    for (const outcome of outcomes) {
      this.metrics.paymentsArrived(channel, outcome, 1);
      if (outcome === 'booked') this.metrics.paymentBooked(channel, witness, seconds);
    }
  }

  /** Counts lines that were imported before. */
  linesRepeated(channel: string, times: number): void {
    this.metrics.paymentsArrived(channel, 'repeated', times);
  }
}
