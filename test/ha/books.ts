import { checkPostgresql } from '../chaos/check-postgresql.js';
import { checkReceivers, type Subscription } from '../chaos/check-receivers.js';
import { checkSupplier } from '../chaos/check-supplier.js';
import type { Receiver } from '../chaos/receiver.js';
import type { Violations } from '../chaos/violations.js';
import type { SoldPurchase } from './forgotten.js';
import type { Laboratory } from './laboratory.js';
import type { OrderHistory } from './merchants.js';

interface Stored {
  reference_id: string;
  order_number: string;
}

/**
 * Compares the records of merchants, PostgreSQL, the supplier and the receivers about all orders so far, except those that a
 * restore lost.
 */
export async function compareBooks(
  laboratory: Laboratory,
  histories: readonly OrderHistory[],
  receiver: Receiver,
  subscriptions: Subscription[],
  violations: Violations,
): Promise<void> {
  const { forgotten } = laboratory;
  const system = {
    sql: <Row extends object>(query: string, values?: unknown[]) => laboratory.sql<Row>(query, values),
    topup: <Result>(...args: string[]) => laboratory.topup<Result>(...args),
    purchases: async <Purchase>() =>
      (await laboratory.purchases<SoldPurchase>())
        .filter(forgotten.isRemembered)
        .map((purchase) => ({ ...purchase, received: forgotten.receivedOf(purchase) })) as Purchase[],
    vendors: [],
  };
  await checkAcknowledged(laboratory, histories, violations);
  await checkPostgresql(system, violations);
  await checkSupplier(system, true, violations);
  const arrivals = receiver.arrivals.filter(forgotten.isEventKept);
  await checkReceivers(system, { arrivals }, subscriptions, violations);
}

/** Every acknowledged order exists once, under its number, and there are no others. */
async function checkAcknowledged(
  laboratory: Laboratory,
  histories: readonly OrderHistory[],
  violations: Violations,
): Promise<void> {
  const stored = new Map<string, string[]>();
  for (const { reference_id, order_number } of await laboratory.sql<Stored>(
    'SELECT reference_id, order_number FROM orders',
  )) {
    stored.set(reference_id, [...(stored.get(reference_id) ?? []), order_number]);
  }
  for (const { reference, orderNumber, acknowledgedAtMs } of histories) {
    const numbers = stored.get(reference) ?? [];
    stored.delete(reference);
    const evidence = { reference, orderNumber, numbers };
    if (acknowledgedAtMs === null)
      violations.add('clients', 'a merchant never learned what became of its order', evidence);
    else if (numbers.length === 0) violations.add('clients', 'an acknowledged order is lost', evidence);
    else if (numbers.length > 1) violations.add('clients', 'an order exists twice', evidence);
    else if (numbers[0] !== orderNumber)
      violations.add('clients', 'an order has another number than was acknowledged', evidence);
  }
  for (const [reference, numbers] of stored) {
    violations.add('clients', 'there is an order that nobody asked for', { reference, numbers });
  }
}
