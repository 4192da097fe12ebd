import type { ChaosSystem } from './system.js';
import { VENDOR } from './vendor-plan.js';
import type { VendorTime } from './vendor-time.js';
import type { Violations } from './violations.js';

/** What the timeline says of units that were attempted more than once, each as a query for those that break a rule. */
const BROKEN: Record<string, string> = {
  'each attempt that ended as refused was refused by a call': `
    SELECT a.order_id, a.item, a.unit, count(*) AS refused, calls.refusals
    FROM unit_attempts a
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE outcome = 'failed') AS refusals FROM supplier_calls c
      WHERE c.order_id = a.order_id AND c.item = a.item AND c.unit = a.unit) calls
    WHERE a.ended_as = 'failed'
    GROUP BY a.order_id, a.item, a.unit, calls.refusals HAVING count(*) > calls.refusals`,
  'the attempts of a unit are numbered from 1, and all but the latest have ended': `
    SELECT u.order_id, u.item, u.unit, u.attempt, array_agg(a.number ORDER BY a.number) AS numbers
    FROM order_units u
    JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit
    GROUP BY u.order_id, u.item, u.unit
    HAVING max(a.number) <> u.attempt OR count(*) <> u.attempt
        OR bool_or((a.number < u.attempt) <> (a.ended_as IS NOT NULL))`,
};

/** What the operator settled has the cost that was known before, or none. */
const COSTS = `
  SELECT a.reference, a.number, u.state, u.attempt, a.cost_micros / 1000000 AS cost,
         EXISTS (SELECT FROM operator_actions WHERE action = 'order.resolve' AND order_id = a.order_id) AS is_resolved
  FROM unit_attempts a
  JOIN suppliers s ON s.id = a.supplier_id AND s.adapter = 'digiflazz'
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit`;

interface Cost {
  reference: string;
  number: number;
  state: string;
  attempt: number;
  cost: string | null;
  is_resolved: boolean;
}

const MINUTE_MS = 60_000;
/** On a busy machine a request may reach the vendor when its caller has given up, and the minute has begun. */
const TOLERANCE_MS = 5_000;

/** Compares attempts with the timeline, and with what the vendor was asked for and took. */
export async function checkAttempts(
  system: ChaosSystem,
  time: VendorTime,
  clockWasSet: boolean,
  violations: Violations,
): Promise<void> {
  for (const [rule, query] of Object.entries(BROKEN)) {
    for (const row of await system.sql(query)) violations.add('supplier', `not so: ${rule}`, row);
  }
  await checkCosts(system, violations);
  await checkJournal(system, clockWasSet ? null : time, violations);
}

async function checkCosts(system: ChaosSystem, violations: Violations): Promise<void> {
  const purchases = await system.vendor.purchases();
  const debited = new Map(purchases.map((each) => [each.ref_id, each.price_debited]));
  let onRecord = 0;
  for (const cost of await system.sql<Cost>(COSTS)) {
    const taken = debited.get(cost.reference) ?? 0;
    const isStanding = cost.state === 'succeeded' && cost.number === cost.attempt;
    if (isStanding && cost.cost === null && !cost.is_resolved) {
      violations.add('supplier', 'the cost of a purchase is not on record', cost);
    }
    // What the vendor said against its word is a case, and what only the operator knew has no cost.
    const isInBooks = isStanding && taken > 0 && cost.cost !== null;
    onRecord += isInBooks ? Number(cost.cost) : taken;
    if (isInBooks && taken !== Number(cost.cost)) {
      violations.add('supplier', 'a purchase cost other than is on record', { ...cost, taken });
    }
  }
  const spent = await system.vendor.debited();
  if (spent !== onRecord) {
    violations.add('supplier', 'the vendor took other than the costs on record', { spent, onRecord });
  }
}

/** Each repeat is the request that was sent first, and comes a minute after the call before; none may cost too much. */
async function checkJournal(
  system: ChaosSystem,
  time: VendorTime | null,
  violations: Violations,
): Promise<void> {
  const prices = await system.sql<{ reference: string; price: string }>(`
    SELECT a.reference, i.unit_price AS price FROM unit_attempts a
    JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item`);
  const priceOf = new Map(prices.map(({ reference, price }) => [reference, Number(price) / 100]));
  const lastMs = new Map<string, number>();
  for (const entry of await system.vendor.journal()) {
    const { ref_id: reference, max_price: most } = entry;
    if (reference === null) continue;
    const atMs = Date.parse(entry.at);
    const before = lastMs.get(reference);
    // What it was refused before anything was on record may be sent again as soon as that can change.
    if (entry.decision !== 'refused') lastMs.set(reference, atMs);
    if (entry.same_body === false) violations.add('supplier', 'a repeat is another request', entry);
    const quietMs = before === undefined ? undefined : time?.leftAloneMs(reference, before, atMs);
    if (quietMs !== undefined && quietMs < MINUTE_MS - TOLERANCE_MS) {
      violations.add('supplier', 'the vendor was not left alone for a minute', { entry, quietMs });
    }
    const price = priceOf.get(reference) ?? Infinity;
    if (most === null || most * Number(VENDOR.bahtPerRupiah) > price) {
      const evidence = { entry, price };
      violations.add('supplier', 'the vendor was allowed to take more than the merchant pays', evidence);
    }
  }
}
