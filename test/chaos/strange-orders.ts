import { CARELESS_FIRST_SKU, CARELESS_SKU } from './careless-supplier.js';
import type { Random } from './random.js';
import { firstAt, type RoutedOrder } from './vendor-plan.js';
import type { AnswerCode } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';

/** No such orders begin after this time, because a vendor's late sales must be made before the books are compared. */
const NONE_AT_THE_END_MS = 8_000;

/** An order of a unit that its supplier sells after a refusal, or twice. */
export interface StrangeOrder extends RoutedOrder {
  atMs: number;
}

/** Additional orders, at the careless supplier and at vendors that contradict themselves. */
export function planStrangeOrders(random: Random, vendors: readonly AnswerCode[], durationMs: number): StrangeOrder[] {
  const atVendors = vendors.flatMap((vendor) =>
    Object.keys(VENDORS[vendor].contradictions).map((name) => ({ name, sku: firstAt(vendor) })),
  );
  const orders: StrangeOrder[] = [];
  for (let atMs = random.int(500, 1_500); atMs < durationMs - NONE_AT_THE_END_MS; atMs += random.int(400, 1_400)) {
    const { name, sku } = random.weighted([
      [3, { name: 'late', sku: CARELESS_SKU }],
      [2, { name: 'refused-sold', sku: random.pick([CARELESS_SKU, CARELESS_FIRST_SKU]) }],
      [2, { name: 'player', sku: CARELESS_FIRST_SKU }],
      [atVendors.length > 0 ? 3 : 0, atVendors.length > 0 ? random.pick(atVendors) : { name: '', sku: '' }],
    ]);
    orders.push({ atMs, userId: `${name}-${orders.length + 1}`, items: [{ sku, quantity: 1 }] });
  }
  return orders;
}
