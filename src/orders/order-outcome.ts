import { formatBaht, type Satang } from '../core/money.js';
import type { FailureCode } from '../core/failures.js';
import type { ItemRow } from './order.rows.js';

/** The outcome of an order after its last item ended (contract, section 3). */
export interface OrderOutcome {
  status: 'completed' | 'failed';
  failureCode: FailureCode | null;
  failureMessage: string | null;
  /** The price of the bought units. */
  spent: Satang;
  /** The price of the failed units. */
  refunded: Satang;
}

export function orderOutcome(items: ItemRow[]): OrderOutcome {
  const completed = sum(items, ({ completed_quantity }) => completed_quantity);
  const failed = sum(items, ({ failed_quantity }) => failed_quantity);
  const spent = price(items, ({ completed_quantity }) => completed_quantity);
  const refunded = price(items, ({ failed_quantity }) => failed_quantity);
  if (failed === 0) return { status: 'completed', failureCode: null, failureMessage: null, spent, refunded };
  if (completed > 0) {
    const failureMessage = `${completed} of ${completed + failed} succeeded, ${failed} failed; ${formatBaht(refunded)} THB returned`;
    return { status: 'failed', failureCode: 'PARTIALLY_COMPLETED', failureMessage, spent, refunded };
  }
  const cause = items.find(({ failure_code }) => failure_code !== null);
  return {
    status: 'failed',
    failureCode: cause?.failure_code ?? null,
    failureMessage: cause?.failure_message ?? null,
    spent,
    refunded,
  };
}

const sum = (items: ItemRow[], quantity: (item: ItemRow) => number): number =>
  items.reduce((total, item) => total + quantity(item), 0);

const price = (items: ItemRow[], quantity: (item: ItemRow) => number): Satang =>
  items.reduce((total, item) => total + item.unit_price * BigInt(quantity(item)), 0n);
