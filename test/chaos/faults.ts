import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { FAILPOINT_WITHIN_MS, type FaultKind, type PlannedDeath, type PlannedFault } from './fault-plan.js';
import type { ManagedProcess } from './managed-process.js';
import type { SupplierWire, WireFault } from './supplier-wire.js';
import type { ChaosSystem } from './system.js';
import type { PlannedVendorFault, VendorFault } from './vendor-plan.js';

/**
 * Causes a fault of the system, and undoes it after its time.
 * @returns whether it happened. A process may not reach its failpoint in time.
 */
export async function inject(system: ChaosSystem, { kind, forMs, byMs = 0, death }: PlannedFault): Promise<boolean> {
  const [worker1, worker2] = system.workers as [ManagedProcess, ManagedProcess];
  const faults: Record<FaultKind, () => Promise<boolean | void>> = {
    'api killed': () => killed(system.api, forMs),
    'api stopped': () => stopped(system.api, forMs),
    'api at a failpoint': () => atFailpoint(system.api, death),
    'worker 1 killed': () => killed(worker1, forMs),
    'worker 2 killed': () => killed(worker2, forMs),
    'worker 1 stopped beyond a unit’s lease': () => stopped(worker1, forMs),
    'worker 2 stopped beyond a unit’s lease': () => stopped(worker2, forMs),
    'worker 1 stopped beyond every lease': () => stopped(worker1, forMs),
    'worker 1 at a failpoint': () => atFailpoint(worker1, death),
    'worker 2 at a failpoint': () => atFailpoint(worker2, death),
    'redis flushed': () => system.redis.flush(),
    'redis killed': () => away(system.redis.kill(), forMs, () => system.redis.start()),
    'redis asleep': () => system.redis.sleep(forMs),
    'postgres ended at once': () => away(system.postgres.crash(), forMs, () => system.postgres.start()),
    'postgres connections terminated': () => terminateConnections(system),
    'postgres connections exhausted': () => exhaustConnections(system, forMs),
    'postgres hung': () => hung(system, forMs),
    'postgres clock ahead': () => clockAhead(system, forMs),
    'clock of postgres set forward': () => clockForward(system, byMs / 1000, forMs),
    'wallet locked': () => lockWallet(system, forMs),
    'supplier killed': () => killed(system.simulator, forMs),
    'supplier answers delayed': () => wire(system, 'delayed', forMs),
    'supplier answers dropped': () => wire(system, 'dropped', forMs),
    'supplier requests reset': () => wire(system, 'reset', forMs),
    'supplier requests late': () => wire(system, 'late', forMs),
    'supplier half-open': () => wire(system, 'half-open', forMs),
    'supplier refuses connections': () => away(system.wire.refuse(), forMs, () => system.wire.listen()),
    'supplier refuses without a record': () => wire(system, 'refused', forMs),
    'address of the supplier changed': () => changeAddress(system, forMs),
  };
  return (await faults[kind]()) ?? true;
}

/** Causes a fault of a vendor, and undoes it after its time. */
export async function injectAtVendor(
  system: ChaosSystem,
  { vendor: code, kind, forMs }: PlannedVendorFault,
): Promise<void> {
  const vendor = system.vendorOf(code);
  const { poor, rich, locked, open } = vendor.kind.changes;
  const faults: Record<VendorFault, () => Promise<unknown>> = {
    killed: () => killed(vendor.process, forMs),
    'answers dropped': () => wire(vendor, 'dropped', forMs),
    'refuses connections': () => away(vendor.wire.refuse(), forMs, () => vendor.wire.listen()),
    'has no deposit left': () => away(vendor.change(poor), forMs, () => vendor.change(rich)),
    'has another key': () => away(vendor.change(locked), forMs, () => vendor.change(open)),
  };
  await faults[kind]();
}

async function killed(target: ManagedProcess, forMs: number): Promise<void> {
  await target.kill();
  await delay(forMs);
  target.start();
}

async function stopped(target: ManagedProcess, forMs: number): Promise<void> {
  target.pause();
  await delay(forMs);
  target.resume();
}

async function atFailpoint(target: ManagedProcess, death: PlannedDeath | null): Promise<boolean> {
  if (death === null) throw new Error('the plan names no failpoint');
  const died = await target.dieAt(death, FAILPOINT_WITHIN_MS);
  target.start();
  return died;
}

async function away(gone: Promise<unknown>, forMs: number, comeBack: () => Promise<unknown>): Promise<void> {
  await gone;
  await delay(forMs);
  await comeBack();
}

async function wire(over: { wire: SupplierWire }, fault: WireFault, forMs: number): Promise<void> {
  over.wire.set(fault);
  await delay(forMs);
  over.wire.set(null);
}

async function hung(system: ChaosSystem, forMs: number): Promise<void> {
  system.postgres.pause();
  await delay(forMs);
  system.postgres.resume();
}

const AHEAD_SECONDS = 90;

async function clockAhead(system: ChaosSystem, forMs: number): Promise<void> {
  system.postgres.setClock(AHEAD_SECONDS);
  await delay(forMs);
  system.postgres.setClock(0);
}

async function clockForward(system: ChaosSystem, seconds: number, forMs: number): Promise<void> {
  system.postgres.setClockForward(seconds);
  await delay(forMs);
  system.postgres.setClockForward(0);
}

/** Locks the wallet of the merchant with the most orders. */
async function lockWallet(system: ChaosSystem, forMs: number): Promise<void> {
  const client = await connectOne(system.postgres.url);
  try {
    await client?.query('BEGIN; SELECT FROM wallets WHERE merchant_id = (SELECT min(id) FROM merchants) FOR UPDATE');
    await delay(forMs);
  } catch {
    // The server has ended, and with it the lock.
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** Sets the supplier's address to that of another supplier, which has seen none of the requests. */
async function changeAddress(system: ChaosSystem, forMs: number): Promise<void> {
  const start = performance.now();
  await untilDone(() => system.setSupplier(system.otherSupplierUrl));
  await delay(Math.max(0, forMs - (performance.now() - start)));
  await untilDone(() => system.setSupplier(system.wire.url));
}

/** Repeats a command that fails while PostgreSQL is unreachable. */
async function untilDone(command: () => Promise<unknown>): Promise<void> {
  while (
    await command().then(
      () => false,
      () => true,
    )
  )
    await delay(200);
}

const terminate = (names: string): string => `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND application_name LIKE '${names}'`;

async function terminateConnections(system: ChaosSystem): Promise<void> {
  // Without a server there are no connections to terminate.
  await system.sql(terminate('%')).catch(() => undefined);
}

/** Takes every free connection, then ends those of the service, and takes them, too, before it can open new ones. */
async function exhaustConnections(system: ChaosSystem, forMs: number): Promise<void> {
  const crowd: pg.Client[] = [];
  for (let endMs = Infinity; performance.now() < endMs;) {
    const taken = await Promise.all(Array.from({ length: 8 }, () => connectOne(system.postgres.url)));
    crowd.push(...taken.filter((client) => client !== null));
    if (taken.every((client) => client !== null)) continue;
    if (endMs === Infinity) {
      endMs = performance.now() + forMs;
      await crowd[0]?.query(terminate('topup%')).catch(() => undefined);
    }
    await delay(20);
  }
  await Promise.all(crowd.map((client) => client.end().catch(() => undefined)));
}

/** @returns null if the server has no free connection. */
async function connectOne(url: string): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crowd',
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    await client.end().catch(() => undefined);
    return null;
  }
}
