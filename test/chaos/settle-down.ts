import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

const ORDERS_WITHIN_MS = 150_000;
const DELIVERIES_WITHIN_MS = 90_000;
const POLL_MS = 250;

/** Open units of orders that nobody but the operator can end, because the supplier loses every request for them. */
const LOST = `
  SELECT o.order_number, u.item || '.' || u.unit AS unit, u.state
  FROM order_units u JOIN orders o ON o.id = u.order_id
  WHERE o.user_id = 'sim-lost' AND u.state NOT IN ('succeeded', 'failed')`;

const OPEN = `
  SELECT o.order_number, o.user_id, o.status, u.item, u.unit, u.state, u.next_action, u.next_action_at, u.claimed_by,
         u.sends, u.inquiries, now() AS now
  FROM orders o LEFT JOIN order_units u ON u.order_id = o.id AND u.state NOT IN ('succeeded', 'failed')
  WHERE o.status NOT IN ('completed', 'failed')`;

const UNDELIVERED = `
  SELECT d.id, d.webhook_id, d.status, d.attempt_count, d.due_at, d.leased_until, now() AS now
  FROM webhook_deliveries d WHERE d.status = 'pending'`;

/** Waits, within bounds, until no order is open and no delivery is waiting; what remains is a violation. */
export async function settleDown(system: ChaosSystem, violations: Violations): Promise<void> {
  await system.untilReady(60_000);
  const open = await emptied(system, `${OPEN} AND o.user_id <> 'sim-lost'`, ORDERS_WITHIN_MS);
  for (const row of open) violations.add('postgresql', 'an order did not end after all was healed', row);
  await resolveLost(system);
  for (const row of await system.sql(`${OPEN} AND o.user_id = 'sim-lost'`)) {
    violations.add('postgresql', 'an order did not end although the operator resolved it', row);
  }
  const undelivered = await emptied(system, UNDELIVERED, DELIVERIES_WITHIN_MS);
  for (const row of undelivered) violations.add('receivers', 'a delivery did not end', row);
}

/** @returns the rows that are left when the time is over. */
async function emptied(system: ChaosSystem, query: string, withinMs: number): Promise<object[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const rows = await system.sql(query);
    if (rows.length === 0 || performance.now() > deadline) return rows;
    await delay(POLL_MS);
  }
}

/** As an operator would who knows from the supplier that it never saw the requests. */
async function resolveLost(system: ChaosSystem): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const lost = await system.sql<{ order_number: string; unit: string; state: string }>(LOST);
    if (lost.length === 0 || performance.now() > deadline) return;
    for (const { order_number, unit, state } of lost) {
      // One that is just being sent is in doubt again in a moment; so it may be by the time the command looks.
      if (state !== 'unknown' && state !== 'review') continue;
      const verdict = ['--failed', 'SUPPLIER_UNAVAILABLE', '--reason', 'the supplier never saw it'];
      await system.topup('order', 'resolve', order_number, '--unit', unit, ...verdict).catch(() => undefined);
    }
    await delay(POLL_MS);
  }
}
