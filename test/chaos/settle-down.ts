import { setTimeout as delay } from 'node:timers/promises';
import { settleContradictions } from './contradictions.js';
import { resolveAsSold, type Waiting } from './operator.js';
import type { ChaosSystem } from './system.js';
import type { VendorKind } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';
import type { Violations } from './violations.js';

const ORDERS_WITHIN_MS = 150_000;
const DELIVERIES_WITHIN_MS = 90_000;
const PULLED_BACK_WITHIN_MS = 300_000;
const POLL_MS = 250;
/** Longer than any wait between inquiries, any lease, and any retry delay of the run's webhooks. */
const MAX_WAIT_SECONDS = 70;

const OPEN = `
  SELECT o.order_number, o.user_id, o.status, u.item || '.' || u.unit AS unit, a.reference, u.state, u.next_action, u.next_action_at,
         u.claimed_by, u.sends, u.inquiries, now() AS now,
         ARRAY(SELECT r.supplier_reference FROM supplier_reversals r WHERE r.order_id = u.order_id AND r.item = u.item
               AND r.unit = u.unit AND r.attempt = u.attempt AND r.kind = 'unknown_purchase') AS sold_besides
  FROM orders o LEFT JOIN order_units u ON u.order_id = o.id AND u.state NOT IN ('succeeded', 'failed')
  LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
  WHERE o.status NOT IN ('completed', 'failed')`;

const farAhead = (column: string): string =>
  `${column} > statement_timestamp() + make_interval(secs => ${MAX_WAIT_SECONDS})`;

const isAt = (doubt: VendorKind['leavesInDoubt']): string => {
  const kinds = Object.values(VENDORS).filter(({ leavesInDoubt }) => leavesInDoubt === doubt);
  const adapters = kinds.map(({ adapter }) => `'${adapter}'`).join(', ');
  return `a.supplier_id IN (SELECT id FROM suppliers WHERE adapter IN (${adapters}))`;
};

/** Vendors that answer inquiries only with "I have it". Further inquiries are useless before their callback. */
const WAITS_FOR_CALLBACK = `(u.state = 'unknown' AND ${isAt('silence')})`;

/**
 * Units that only the operator ends: units in review, units for which the supplier loses every request, units that wait for a
 * callback that never comes, units whose vendor always gives the answer to a too early repeat, and units that the vendor sold
 * twice and for which it reports the other sale.
 */
const FOR_THE_OPERATOR = `
  AND (u.state = 'review' OR (u.state = 'unknown' AND (o.user_id = 'sim-lost'
       OR (u.inquiries > 6 AND ${isAt('repeats')})
       OR EXISTS (SELECT FROM supplier_reversals r WHERE r.order_id = u.order_id AND r.item = u.item AND r.unit = u.unit
                  AND r.attempt = u.attempt AND r.kind = 'unknown_purchase')
       OR (${farAhead('u.next_action_at')} AND ${isAt('silence')}))))`;

const UNDELIVERED = `
  SELECT d.id, d.webhook_id, d.status, d.attempt_count, d.due_at, d.leased_until, now() AS now
  FROM webhook_deliveries d WHERE d.status = 'pending'`;

/**
 * Waits for a limited time until no order is open and no delivery waits. Remaining ones are violations.
 * @returns the number of units that the operator resolved.
 */
export async function settleDown(system: ChaosSystem, violations: Violations): Promise<number> {
  await system.untilReady(300_000);
  await Promise.all([system, ...system.vendors].map(({ wire }) => wire.idle()));
  await pullBackIsDone(system);
  const stuck = await findStuck(system, violations);
  // Units that make no progress are not waited for.
  const patience = stuck ? 0.1 : 1;
  const { open, resolved } = await endOrders(system, ORDERS_WITHIN_MS * patience);
  for (const row of open) violations.add('postgresql', 'an order did not end after all was healed', row);
  const undelivered = await emptied(system, UNDELIVERED, DELIVERIES_WITHIN_MS * patience);
  for (const row of undelivered) violations.add('receivers', 'a delivery did not end', row);
  await system.careless.idle();
  for (const vendor of system.vendors) await vendor.decided();
  for (const vendor of system.vendors) await vendor.finish();
  await settleContradictions(system, violations);
  return resolved;
}

/** Once the clock of PostgreSQL is right again, the next round of a worker corrects rows from before. */
async function pullBackIsDone(system: ChaosSystem): Promise<void> {
  const ahead = `
    SELECT 1 FROM order_units WHERE next_action_at IS NOT NULL AND updated_at > now() + interval '1 s'
    UNION ALL SELECT 1 FROM webhook_deliveries WHERE status = 'pending' AND updated_at > now() + interval '1 s'`;
  await emptied(system, ahead, PULLED_BACK_WITHIN_MS);
}

/** Leases and retries that are too far in the future. */
async function findStuck(system: ChaosSystem, violations: Violations): Promise<boolean> {
  const units = await system.sql(`${OPEN} AND ${farAhead('u.next_action_at')} AND NOT ${WAITS_FOR_CALLBACK}`);
  for (const row of units) violations.add('postgresql', 'a unit is due later than any rule allows', row);
  const deliveries = await system.sql(`${UNDELIVERED} AND (${farAhead('d.due_at')} OR ${farAhead('d.leased_until')})`);
  for (const row of deliveries) violations.add('receivers', 'a delivery is due later than any rule allows', row);
  return units.length + deliveries.length > 0;
}

/** Waits until orders end, by themselves or by the operator. @returns open orders after the timeout. */
async function endOrders(system: ChaosSystem, withinMs: number): Promise<{ open: object[]; resolved: number }> {
  let resolved = 0;
  for (let deadline = performance.now() + withinMs; ;) {
    const open = await system.sql(OPEN);
    if (open.length === 0 || performance.now() > deadline) return { open, resolved };
    const more = await resolveAsSold(system, await system.sql<Waiting>(OPEN + FOR_THE_OPERATOR));
    resolved += more;
    // While the operator makes progress, the commands take the time, and not the service.
    if (more > 0) deadline = performance.now() + withinMs;
    await delay(POLL_MS);
  }
}

/** @returns the remaining rows after the timeout. */
async function emptied(system: ChaosSystem, query: string, withinMs: number): Promise<object[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const rows = await system.sql(query);
    if (rows.length === 0 || performance.now() > deadline) return rows;
    await delay(POLL_MS);
  }
}
