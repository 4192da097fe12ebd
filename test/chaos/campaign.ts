import { setTimeout as delay } from 'node:timers/promises';
import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import { checkAttempts } from './check-attempts.js';
import { checkClaims } from './check-claims.js';
import { checkClients } from './check-clients.js';
import { checkCodes } from './check-codes.js';
import { checkPauses } from './check-pauses.js';
import { checkPostgresql } from './check-postgresql.js';
import { checkReceivers } from './check-receivers.js';
import { checkSupplier } from './check-supplier.js';
import { Clients } from './clients.js';
import type { DefectName } from './defects.js';
import { targetOf, type PlannedClocks, type PlannedFault } from './fault-plan.js';
import { inject, injectAtVendor } from './faults.js';
import { checkForged, Forger } from './forger.js';
import { furnish } from './furnish.js';
import { readMargin, type MarginLine } from './margin.js';
import { VendorResumer } from './operator.js';
import { Random } from './random.js';
import { Receiver } from './receiver.js';
import { planSchedule, type Schedule } from './schedule.js';
import { settleDown } from './settle-down.js';
import { ChaosSystem } from './system.js';
import { rulesFor, type PlannedVendorFault } from './vendor-plan.js';
import { VendorTime } from './vendor-time.js';
import { Violations } from './violations.js';

export interface CampaignOptions {
  seed: number;
  seconds: number;
  /** Whether the only faults are workers that die, at each step from one attempt to the next. */
  isStepwise: boolean;
  /** The planted defects of the service, which the checks must find. */
  defects: readonly DefectName[];
  log: (line: string) => void;
}

export interface CampaignReport {
  vendors: readonly string[];
  orders: Record<string, number>;
  /** The longest time without an acknowledged order, during the load. */
  longestSilenceMs: number;
  faults: Record<string, number>;
  /** The failpoints at which processes died, with the number of deaths. */
  failpoints: Record<string, number>;
  violations: Violations;
  /** The service's margin with each supplier, and the amounts that vendors took. */
  margin: MarginLine[];
  logs: string;
}

/** How long clients repeat their requests after every fault is undone. */
const CLIENTS_GIVE_UP_AFTER_MS = 60_000;

/** Runs the load and the faults of a seed, undoes all faults, waits until nothing is open, and compares the books. */
export async function runCampaign({
  seed,
  seconds,
  isStepwise,
  defects,
  log,
}: CampaignOptions): Promise<CampaignReport> {
  const random = new Random(seed);
  const schedule = planSchedule(seed, seconds, isStepwise);
  const { vendors, orders, faults, vendorFaults, clocks, clockOfPostgres, reviewAfterMs } = schedule;
  const violations = new Violations();
  const receiver = new Receiver(random.fork('receiver'));
  await receiver.listen();
  const name = [`seed-${seed}`, ...defects].join('-');
  const system = await ChaosSystem.start({ name, defects, vendors, clocks, reviewAfterMs, log });
  try {
    const { merchantIds, keys, subscriptions, callbackUrls } = await furnish(system, receiver);
    for (const vendor of system.vendors) await vendor.setRules(rulesFor(vendor.kind.code, orders));
    const clients = new Clients(system.apiUrl, keys, random.fork('clients'));
    log(`${orders.length} orders and ${faults.length + vendorFaults.length} faults in ${seconds} s`);
    for (const line of describeSettings(schedule)) log(line);
    const times = system.vendors.map((vendor) => new VendorTime(system, vendor));
    const forger = new Forger(system, callbackUrls, random.fork('forger'), violations);
    const resumer = new VendorResumer(system);
    for (const each of [...times, forger, resumer]) each.start();
    const failpoints = await play(system, clients, schedule, log);
    log('healed; waiting until all is quiet');
    for (const time of times) time.isCalm = true;
    const forged = await forger.stop();
    const resolved = await settleDown(system, violations);
    await Promise.all([...times, resumer].map((each) => each.stop()));
    log('comparing the books');
    // Before the final reading, which adds to the answers of the clients.
    const silenceMs = longestSilenceMs(clients);
    await checkClients(system, clients, merchantIds, violations);
    await checkPostgresql(system, violations);
    await checkSupplier(system, clockOfPostgres, violations);
    await checkAttempts(system, times, clockOfPostgres, violations);
    await checkCodes(system, clients, merchantIds, violations);
    await checkPauses(system, violations);
    await checkForged(system, violations);
    await checkClaims(system, clockOfPostgres, violations);
    await checkReceivers(system, receiver, subscriptions, violations);
    const surprises = system.processes.flatMap((each) => each.surprises);
    for (const surprise of surprises) violations.add('processes', 'a process ended by itself', surprise);
    const counts = await countOrders(system, clients, receiver);
    if ((counts.placed ?? 0) < orders.length / 2) {
      violations.add('clients', 'less than half of the orders could be placed', counts);
    }
    return {
      vendors,
      orders: { ...counts, units_resolved_by_the_operator: resolved, forged_callbacks: forged },
      longestSilenceMs: silenceMs,
      faults: {
        ...count([...faults.map(({ kind }) => kind), ...vendorFaults.map(nameOfFault)]),
        ...countClocks(clocks),
      },
      failpoints,
      violations,
      margin: await readMargin(system),
      logs: system.logs,
    };
  } finally {
    receiver.close();
    await system.stop();
  }
}

/**
 * Ends when every fault is undone, and every client knows the end of its order or has given up.
 * @returns the failpoints that ended a process, with the number of times.
 */
async function play(
  system: ChaosSystem,
  clients: Clients,
  { orders, faults, vendorFaults }: Schedule,
  log: (line: string) => void,
): Promise<Record<string, number>> {
  const startMs = performance.now();
  const until = (atMs: number): Promise<void> => delay(Math.max(0, startMs + atMs - performance.now()));
  let giveUpAtMs = Infinity;
  const played = orders.map(async (order) => {
    await until(order.atMs);
    await clients.play(order, () => giveUpAtMs);
  });
  const deaths: string[] = [];
  const befall = async (fault: PlannedFault, before: Promise<void> | undefined): Promise<void> => {
    await Promise.all([before, until(fault.atMs)]);
    log(`${(fault.atMs / 1000).toFixed(1)} s: ${describeFault(fault)}`);
    if ((await inject(system, fault)) && fault.death) deaths.push(fault.death.failpoint);
  };
  // A fault that takes longer than planned delays the next fault of its target.
  const last = new Map<string, Promise<void>>();
  for (const fault of faults) {
    const target = targetOf(fault.kind);
    last.set(target, befall(fault, last.get(target)));
  }
  const atVendor = vendorFaults.map(async (fault) => {
    await until(fault.atMs);
    const { forMs } = fault;
    log(`${(fault.atMs / 1000).toFixed(1)} s: ${describeFault({ kind: nameOfFault(fault), forMs, death: null })}`);
    await injectAtVendor(system, fault);
  });
  await Promise.all([...last.values(), ...atVendor]);
  giveUpAtMs = performance.now() + CLIENTS_GIVE_UP_AFTER_MS;
  await until(orders.at(-1)?.atMs ?? 0);
  giveUpAtMs = performance.now() + CLIENTS_GIVE_UP_AFTER_MS;
  await Promise.all(played);
  return count(deaths);
}

const nameOfFault = ({ vendor, kind }: PlannedVendorFault): string => `${vendor} ${kind}`;

function describeFault({
  kind,
  forMs,
  byMs = 0,
  death,
}: Pick<PlannedFault, 'byMs' | 'forMs' | 'death'> & { kind: string }): string {
  if (byMs > 0) return `${kind} by ${byMs / 1000} s, for ${forMs} ms`;
  if (death !== null) return `${kind}: ${death.failpoint}, at pass ${death.pass}`;
  return forMs > 0 ? `${kind} for ${forMs} ms` : kind;
}

function describeSettings({ vendors, clocks: { api, worker2 }, reviewAfterMs }: Schedule): string[] {
  const clock = (seconds: number): string => `${seconds < 0 ? '' : '+'}${seconds} s`;
  return [
    `vendors: ${vendors.join(', ')}`,
    ...(api === 0 ? [] : [`the clock of the API is wrong by ${clock(api)}`]),
    ...(worker2 === 0 ? [] : [`the clock of worker 2 is wrong by ${clock(worker2)}`]),
    ...(reviewAfterMs === null ? [] : [`units come to the operator after ${reviewAfterMs} ms`]),
  ];
}

function count(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const countClocks = ({ api, worker2 }: PlannedClocks): Record<string, number> => ({
  ...(api === 0 ? {} : { 'api clock wrong': 1 }),
  ...(worker2 === 0 ? {} : { 'worker 2 clock wrong': 1 }),
});

function longestSilenceMs({ histories }: Clients): number {
  const orders = histories.flatMap((history) => history.answers).filter(({ status }) => status === 200);
  const moments = orders.map(({ atMs }) => atMs).sort((one, other) => one - other);
  return Math.max(0, ...moments.slice(1).map((atMs, index) => atMs - (moments[index] ?? atMs)));
}

const countCases = (kind: string): string =>
  `(SELECT count(*)::int FROM supplier_reversals WHERE kind = '${kind}') AS cases_${kind}`;

async function countOrders(system: ChaosSystem, clients: Clients, receiver: Receiver): Promise<Record<string, number>> {
  const [stored] = await system.sql<Record<string, number>>(`
    SELECT count(*)::int AS placed, count(*) FILTER (WHERE status = 'completed')::int AS completed,
           count(*) FILTER (WHERE status = 'failed')::int AS failed,
           (SELECT count(*)::int FROM order_units) AS units,
           (SELECT count(*)::int FROM order_units WHERE sends > 1) AS units_sent_again,
           (SELECT count(*)::int FROM unit_attempts) AS attempts,
           (SELECT count(*)::int FROM unit_attempts WHERE number > 1) AS attempts_after_others,
           (SELECT count(*)::int FROM unit_attempts a JOIN unit_attempts b USING (order_id, item, unit)
            WHERE b.number = a.number + 1 AND b.supplier_id <> a.supplier_id) AS failovers,
           (SELECT count(*)::int FROM supplier_callbacks) AS callbacks,
           (SELECT count(*)::int FROM supplier_callbacks WHERE verdict = 'settled') AS callbacks_that_settled,
           (SELECT count(*)::int FROM supplier_callbacks WHERE verdict = 'woke') AS callbacks_that_made_us_ask,
           (SELECT count(*)::int FROM unit_deliveries) AS codes_handed_over,
           ${countCases('taken_back')}, ${countCases('bought_late')}, ${countCases('unknown_purchase')},
           (SELECT count(*)::int FROM ${DELIVERY_ATTEMPTS} attempts) AS delivery_attempts
    FROM orders`);
  return {
    asked_for: clients.histories.length,
    requests_left_open: clients.histories.reduce((sum, { open }) => sum + open, 0),
    ...stored,
    deliveries_arrived: receiver.arrivals.length,
  };
}
