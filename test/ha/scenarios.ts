import type { FaultName } from './faults.js';

/** A fault that happens while merchants order. */
export interface Step {
  fault: FaultName;
  /** Seconds after the first fault; 0 by default. */
  at?: number;
  /** Seconds until it is undone. */
  for: number;
}

/** Times in seconds. Further rules always apply: no order, purchase or webhook is lost, and nothing is bought twice. */
export interface Goals {
  withoutOk: number;
  /** The longest time from an acknowledgement to the webhook; by default, that of the outage and 2 s more. */
  worstOrder?: number;
  /** The allowed increase of the 99th percentile of the time of orders. */
  p99Ratio?: number;
}

export interface Scenario {
  name: string;
  what: string;
  steps: Step[];
  goals: Goals;
}

/**
 * A unit that a dead worker may have sent waits for SUPPLIER_QUIET_PERIOD_MS (30 s), so that it is not bought
 * twice.
 */
const AFTER_A_DEAD_WORKER = 35;

/** The faults, in this order. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'switchover',
    what: 'the primary’s part is handed over by Patroni',
    steps: [{ fault: 'switchover', for: 12 }],
    goals: { withoutOk: 3 },
  },
  {
    name: 'postmaster-killed',
    what: 'PostgreSQL is killed (SIGKILL) on the primary’s machine, which stays',
    steps: [{ fault: 'postmasterKilled', for: 25 }],
    goals: { withoutOk: 20 },
  },
  {
    name: 'primary-off',
    what: 'the primary’s machine loses its power',
    steps: [{ fault: 'primaryOff', for: 45 }],
    goals: { withoutOk: 20 },
  },
  {
    name: 'primary-frozen',
    what: 'the primary’s machine stands still for 60 s (SIGSTOP), and goes on',
    steps: [{ fault: 'primaryFrozen', for: 60 }],
    goals: { withoutOk: 20 },
  },
  {
    name: 'primary-cut-off',
    what: 'the primary’s machine is off the network for 60 s',
    steps: [{ fault: 'primaryCutOff', for: 60 }],
    goals: { withoutOk: 20 },
  },
  {
    name: 'standby-off',
    what: 'a standby’s machine loses its power',
    steps: [{ fault: 'standbyOff', for: 30 }],
    goals: { withoutOk: 6 },
  },
  {
    name: 'standby-frozen',
    what: 'a standby’s machine stands still for 30 s',
    steps: [{ fault: 'standbyFrozen', for: 30 }],
    goals: { withoutOk: 6 },
  },
  {
    name: 'etcd-lost',
    what: 'two of three etcd are away for 50 s',
    steps: [{ fault: 'twoEtcdKilled', for: 50 }],
    goals: { withoutOk: 1 },
  },
  {
    name: 'proxies-away',
    what: 'every HAProxy and PgBouncer before PostgreSQL is away for 5 s',
    steps: [{ fault: 'proxiesKilled', for: 5 }],
    goals: { withoutOk: 7 },
  },
  {
    name: 'api-killed',
    what: 'one of two APIs is killed',
    steps: [{ fault: 'apiKilled', for: 10 }],
    goals: { withoutOk: 1 },
  },
  {
    name: 'worker-killed',
    what: 'one of two workers is killed',
    steps: [{ fault: 'workerKilled', for: 40 }],
    goals: { withoutOk: 1, worstOrder: AFTER_A_DEAD_WORKER },
  },
  {
    name: 'redis-master-off',
    what: 'the machine of Redis’ master loses its power',
    steps: [{ fault: 'redisMasterOff', for: 30 }],
    goals: { withoutOk: 1, p99Ratio: 2 },
  },
  {
    name: 'service-frozen-in-failover',
    what: 'an API and a worker stand still for 40 s, and meanwhile the primary’s machine loses its power',
    steps: [
      { fault: 'serviceFrozen', for: 40 },
      { fault: 'primaryOff', at: 2, for: 45 },
    ],
    goals: { withoutOk: 22, worstOrder: 60 },
  },
  {
    name: 'disk-full',
    what: 'the disk of the primary is full for 40 s',
    steps: [{ fault: 'primaryDiskFull', for: 40 }],
    goals: { withoutOk: 20 },
  },
  {
    name: 'clock-wrong',
    what: 'the primary’s part is handed to a machine whose clock is 5 minutes ahead, which is then set right',
    steps: [{ fault: 'primaryClockAhead', for: 30 }],
    goals: { withoutOk: 3, worstOrder: AFTER_A_DEAD_WORKER },
  },
  {
    name: 'upgrade-in-switchover',
    what: 'APIs and workers are replaced one after another, and the primary’s part is handed over meanwhile',
    steps: [
      { fault: 'serviceReplaced', for: 30 },
      { fault: 'switchover', at: 2, for: 10 },
    ],
    goals: { withoutOk: 3 },
  },
  {
    name: 'restore-to-a-point-in-time',
    what: 'the database is lost, and restored from a backup to a moment 10 s before',
    steps: [{ fault: 'databaseLost', for: 10 }],
    // Merchants repeat a lost order once everything works again, and its webhook comes after that.
    goals: { withoutOk: 120, worstOrder: 300 },
  },
];

/** @throws Error with the existing names, for an unknown one. */
export function scenariosOf(names: string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !SCENARIOS.some((each) => each.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no scenario ${unknown.join(', ')}. There are: ${SCENARIOS.map(({ name }) => name).join(', ')}.`,
    );
  }
  return names.length === 0 ? SCENARIOS : SCENARIOS.filter(({ name }) => names.includes(name));
}
