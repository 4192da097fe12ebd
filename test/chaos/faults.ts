import { setTimeout as delay } from 'node:timers/promises';
import type { FaultKind, PlannedFault } from './schedule.js';
import type { WireFault } from './supplier-wire.js';
import type { ChaosSystem } from './system.js';
import type { ManagedProcess } from './managed-process.js';

/** Does one thing to the system, and undoes it when its time is over. */
export async function inject(system: ChaosSystem, { kind, forMs }: PlannedFault): Promise<void> {
  const [worker1, worker2] = system.workers as [ManagedProcess, ManagedProcess];
  const faults: Record<FaultKind, () => Promise<void>> = {
    'api killed': () => killed(system.api, forMs),
    'api stopped': () => stopped(system.api, forMs),
    'worker 1 killed': () => killed(worker1, forMs),
    'worker 2 killed': () => killed(worker2, forMs),
    'worker 1 stopped beyond its lease': () => stopped(worker1, forMs),
    'worker 2 stopped beyond its lease': () => stopped(worker2, forMs),
    'redis flushed': () => system.redis.flush(),
    'redis killed': async () => {
      await system.redis.kill();
      await delay(forMs);
      await system.redis.start();
    },
    'postgres ended at once': async () => {
      await system.postgres.crash();
      await delay(forMs);
      await system.postgres.start();
    },
    'postgres connections terminated': () => terminateConnections(system),
    'supplier killed': () => killed(system.simulator, forMs),
    'supplier answers delayed': () => wire(system, 'delayed', forMs),
    'supplier requests reset': () => wire(system, 'reset', forMs),
    'supplier answers dropped': () => wire(system, 'dropped', forMs),
    'supplier requests late': () => wire(system, 'late', forMs),
    'supplier refuses connections': async () => {
      await system.wire.refuse();
      await delay(forMs);
      await system.wire.listen();
    },
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

async function wire(system: ChaosSystem, fault: WireFault, forMs: number): Promise<void> {
  system.wire.set(fault);
  await delay(forMs);
  system.wire.set(null);
}

async function terminateConnections(system: ChaosSystem): Promise<void> {
  // While the server is away there is nothing to terminate.
  await system
    .sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    .catch(() => undefined);
}
