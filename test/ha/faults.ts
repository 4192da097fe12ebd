import { readFileSync, statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beginClockFault } from './clock.js';
import type { Laboratory } from './laboratory.js';
import type { Machine } from './machine.js';
import { backUp, restoreTo, thisMoment } from './restore.js';

/** Undoes a fault. */
type Undo = () => Promise<void> | void;

/** Causes a fault. `prepare` runs before merchants begin to order. */
interface Fault {
  prepare?: (laboratory: Laboratory) => Promise<void>;
  begin: (laboratory: Laboratory) => Promise<Undo>;
}

const nothing: Undo = () => undefined;

async function off(machine: Machine): Promise<Undo> {
  await machine.powerOff();
  return () => machine.powerOn();
}

async function frozen(machine: Machine): Promise<Undo> {
  await Promise.resolve(machine.freeze());
  return () => machine.thaw();
}

async function killed(services: [machine: Machine, name: string][]): Promise<Undo> {
  await Promise.all(services.map(([machine, name]) => machine.signal(name, 'SIGKILL', true)));
  return () => {
    for (const [machine, name] of services) machine.startAgain([name]);
  };
}

const DISK = '/var/lib/postgresql';
const DATA = `${DISK}/topup`;
const BALLAST = `${DISK}/ballast`;
/** Less than a segment of the write-ahead log. */
const MAY_BE_FREE = 10_000_000;

export const FAULTS = {
  switchover: {
    begin: async ({ cluster }) => {
      await cluster.switchOver(await cluster.primary(), await cluster.synchronousStandby());
      return nothing;
    },
  },
  postmasterKilled: {
    begin: async ({ cluster }) => {
      const primary = await cluster.primary();
      const [pid] = readFileSync(primary.placeOf(`${DATA}/postmaster.pid`), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      return nothing;
    },
  },
  primaryOff: { begin: async ({ cluster }) => off(await cluster.primary()) },
  primaryFrozen: { begin: async ({ cluster }) => frozen(await cluster.primary()) },
  primaryCutOff: {
    begin: async ({ cluster }) => {
      const primary = await cluster.primary();
      await primary.cut();
      return () => primary.join();
    },
  },
  standbyOff: { begin: async ({ cluster }) => off(await cluster.synchronousStandby()) },
  standbyFrozen: { begin: async ({ cluster }) => frozen(await cluster.synchronousStandby()) },
  twoEtcdKilled: {
    begin: ({ redis }) => killed(redis.machines.slice(1).map((machine) => [machine, 'etcd'])),
  },
  proxiesKilled: {
    begin: async ({ applications }) => {
      const proxies = applications.flatMap((machine) =>
        ['haproxy', 'pgbouncer']
          .filter((name) => machine.isRunning(name))
          .map((name): [Machine, string] => [machine, name]),
      );
      return killed(proxies);
    },
  },
  apiKilled: { begin: async ({ applications: [first] }) => killed(first ? [[first, 'api']] : []) },
  workerKilled: { begin: async ({ applications: [first] }) => killed(first ? [[first, 'worker']] : []) },
  redisMasterOff: { begin: async ({ redis }) => off(await redis.master()) },
  serviceFrozen: {
    begin: async ({ applications: [, second] }) => {
      const signal = async (name: NodeJS.Signals): Promise<void> => {
        for (const service of ['api', 'worker']) await second?.signal(service, name);
      };
      await signal('SIGSTOP');
      return () => signal('SIGCONT');
    },
  },
  primaryDiskFull: {
    begin: async ({ cluster }) => {
      const primary = await cluster.primary();
      const { bavail, bsize } = statfsSync(primary.placeOf(DISK));
      const most = Math.floor(bavail * bsize * 0.95);
      await primary.run(['sh', '-c', `fallocate --length ${most} ${BALLAST}; cat /dev/zero >> ${BALLAST} || true`]);
      const free = statfsSync(primary.placeOf(DISK)).bavail * bsize;
      if (free > MAY_BE_FREE)
        throw new Error(`the disk of ${primary.name} could not be filled: ${free} bytes are free`);
      return async () => void (await primary.run(['rm', '-f', BALLAST]));
    },
  },
  databaseLost: {
    prepare: backUp,
    begin: async (laboratory) => {
      const moment = await thisMoment(laboratory);
      return async () => {
        await laboratory.forgotten.remember(laboratory);
        await restoreTo(laboratory, moment);
      };
    },
  },
  primaryClockAhead: { ...beginClockFault },
  serviceReplaced: {
    begin: async ({ applications, untilApiReady }) => {
      const replace = async (): Promise<void> => {
        for (const machine of applications) {
          for (const service of ['api', 'worker']) {
            await machine.signal(service, 'SIGTERM', true);
            machine.startAgain([service]);
            if (service === 'api') await untilApiReady(machine);
          }
        }
      };
      const replacing = replace();
      await delay(0);
      return () => replacing;
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
