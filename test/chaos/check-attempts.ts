import type { ChaosSystem } from './system.js';
import type { VendorTime } from './vendor-time.js';
import { microsOf, type Vendor } from './vendor.js';
import type { Violations } from './violations.js';

/** Rules about units with more than one attempt, each as a query for the units that break it. */
const BROKEN: Record<string, string> = {
  'each attempt that ended as refused was refused by a call': `
    SELECT a.order_id, a.item, a.unit, count(*) AS refused, calls.refusals
    FROM unit_attempts a
    CROSS JOIN LATERAL (
      -- A refusal that counts because an inquiry then finds nothing is recorded as unknown.
      SELECT count(*) FILTER (WHERE outcome = 'failed' OR detail LIKE 'to be confirmed:%') AS refusals FROM supplier_calls c
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

/** A unit that an operator settled has the cost that was known before, or none. */
const COSTS = `
  SELECT a.reference, a.number, u.state, u.attempt, a.cost_micros::text AS cost, a.cost_currency AS currency,
         EXISTS (SELECT FROM operator_actions WHERE action = 'order.resolve' AND order_id = a.order_id) AS is_resolved,
         a.number = 1 AND EXISTS (
           SELECT FROM supplier_calls c WHERE c.order_id = a.order_id AND c.item = a.item AND c.unit = a.unit
             AND c.kind = 'send' AND c.outcome = 'processing') AS is_accepted
  FROM unit_attempts a
  JOIN suppliers s ON s.id = a.supplier_id AND s.code = $1
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit`;

interface Cost {
  reference: string;
  number: number;
  state: string;
  attempt: number;
  /** In millionths. */
  cost: string | null;
  currency: string | null;
  is_resolved: boolean;
  /** Whether a send got the answer that it was accepted. The timeline has this for first attempts only. */
  is_accepted: boolean;
}

/** On a busy machine, a request may reach the vendor after its caller has given up, when the gap has begun. */
const TOLERANCE_MS = 5_000;

/** Compares attempts with the timeline, and with the requests and the debits of vendors. */
export async function checkAttempts(
  system: ChaosSystem,
  times: readonly VendorTime[],
  clockWasSet: boolean,
  violations: Violations,
): Promise<void> {
  for (const [rule, query] of Object.entries(BROKEN)) {
    for (const row of await system.sql(query)) violations.add('supplier', `not so: ${rule}`, row);
  }
  for (const vendor of system.vendors) {
    const time = times.find((each) => each.vendor === vendor);
    await checkCosts(system, vendor, violations);
    await checkJournal(system, vendor, clockWasSet ? undefined : time, violations);
  }
}

async function checkCosts(system: ChaosSystem, vendor: Vendor, violations: Violations): Promise<void> {
  const { code, currency, tellsCostLater } = vendor.kind;
  const purchases = await vendor.purchases();
  const debited = new Map(purchases.map((each) => [each.ref_id, microsOf(each.price_debited)]));
  const sales = new Map(purchases.map((each) => [each.ref_id, BigInt(Math.max(each.standing, 1))]));
  let onRecord = 0n;
  for (const cost of await system.sql<Cost>(COSTS, [code])) {
    const whole = debited.get(cost.reference) ?? 0n;
    // A second sale beside the unit's own has a discrepancy, and the same cost.
    const taken = whole / (sales.get(cost.reference) ?? 1n);
    const isStanding = cost.state === 'succeeded' && cost.number === cost.attempt;
    // If the answer with the cost was lost, nothing else reports the cost.
    const isReported = tellsCostLater || cost.is_accepted;
    if (isStanding && cost.cost === null && isReported && !cost.is_resolved) {
      violations.add('supplier', 'the cost of a purchase is not on record', { vendor: code, ...cost });
    }
    // A contradiction of the vendor has a discrepancy, and a purchase that only the operator knew has no cost.
    const isInBooks = isStanding && taken > 0n && cost.cost !== null;
    onRecord += isInBooks ? BigInt(cost.cost ?? 0) + whole - taken : whole;
    if (isInBooks && (taken !== BigInt(cost.cost ?? 0) || cost.currency !== currency)) {
      violations.add('supplier', 'a purchase cost other than is on record', { vendor: code, ...cost, taken });
    }
  }
  const spent = await vendor.debited();
  if (spent !== onRecord) {
    violations.add('supplier', 'the vendor took other than the costs on record', { vendor: code, spent, onRecord });
  }
}

/**
 * Checks that each repeat equals the first request, that it came after the vendor's minimum gap, and that no purchase cost too
 * much.
 * @param time undefined if the times are not comparable.
 */
async function checkJournal(
  system: ChaosSystem,
  vendor: Vendor,
  time: VendorTime | undefined,
  violations: Violations,
): Promise<void> {
  const { code, gapMs, isPurchase, limitIn, rate } = vendor.kind;
  const prices = await system.sql<{ reference: string; price: string }>(`
    SELECT a.reference, i.unit_price AS price FROM unit_attempts a
    JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item`);
  const priceOf = new Map(prices.map(({ reference, price }) => [reference, Number(price) / 100]));
  const lastMs = new Map<string, number>();
  for (const entry of await vendor.journal()) {
    const { ref_id: reference } = entry;
    if (reference === null || !isPurchase(entry)) continue;
    const evidence = { vendor: code, entry };
    const atMs = Date.parse(entry.at);
    const before = lastMs.get(reference);
    // After a refusal that the vendor did not record, the request may be sent again as soon as the reason can change.
    if (entry.decision !== 'refused') lastMs.set(reference, atMs);
    if (entry.same_body === false) violations.add('supplier', 'a repeat is another request', evidence);
    const quietMs = before === undefined ? undefined : time?.leftAloneMs(reference, before, atMs);
    if (gapMs !== null && quietMs !== undefined && quietMs < gapMs - TOLERANCE_MS) {
      violations.add('supplier', 'the vendor was not left alone for long enough', { ...evidence, quietMs });
    }
    const most = limitIn?.(entry);
    const price = priceOf.get(reference) ?? Infinity;
    if (most === null || (most !== undefined && most * Number(rate) > price)) {
      const said = { ...evidence, price };
      violations.add('supplier', 'the vendor was allowed to take more than the merchant pays', said);
    }
  }
}
