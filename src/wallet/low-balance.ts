import { formatBaht, type Satang } from '../core/money.js';
import type { MerchantEvent } from '../events/event-log.js';

/** A movement that took the available balance below the merchant's threshold. */
export interface LowBalance {
  merchantId: number;
  /** The available balance after the movement. */
  available: Satang;
  threshold: Satang;
}

/** Whether a movement crosses the threshold downwards. @param threshold null without an alert. */
export const crosses = (before: Satang, after: Satang, threshold: Satang | null): threshold is Satang =>
  threshold !== null && before >= threshold && after < threshold;

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
