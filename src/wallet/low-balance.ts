import { formatBaht, type Satang } from '../core/money.js';
import type { MerchantEvent } from '../events/event-log.js';

/** A movement that took a wallet's available balance from the merchant's threshold, or above it, to below it. */
export interface LowBalance {
  merchantId: number;
  /** What the movement left available. */
  available: Satang;
  threshold: Satang;
}

/**
 * Whether a movement is the one that crosses the threshold downwards. The next one below it is not; once the balance
 * has been raised, another crossing is.
 * @param threshold null where the merchant has set no alert.
 */
export const crosses = (before: Satang, after: Satang, threshold: Satang | null): threshold is Satang =>
  threshold !== null && before >= threshold && after < threshold;

/** The event for the merchant's webhooks that subscribe to it. */
export const lowBalanceEvent = ({ merchantId, available, threshold }: LowBalance, at: Date): MerchantEvent => ({
  merchantId,
  kind: 'wallet.low_balance',
  orderId: null,
  referenceId: null,
  data: {
    currency: 'THB',
    available_amount: formatBaht(available),
    threshold_amount: formatBaht(threshold),
  },
  at,
});
