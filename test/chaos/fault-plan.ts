import { FAILPOINTS, type Failpoint } from '../../src/core/failpoints.js';
import type { Random } from './random.js';

/** The lease of a unit: the supplier's timeout and three seconds, see `unit-dispatcher.ts`. */
export const SUPPLIER_TIMEOUT_MS = 1_500;
const UNIT_LEASE_MS = SUPPLIER_TIMEOUT_MS + 3_000;
/** The longest of all leases, that of a delivery: see `webhook-sender.ts`. */
const MAX_LEASE_MS = 20_000;
/** How long a process may run until it reaches the failpoint that ends it. */
export const FAILPOINT_WITHIN_MS = 6_000;
/** The planned time of a start. On a busy machine a start takes longer, and the next fault of the process waits. */
const START_MS = 3_000;

export const FAULTS = [
  'api killed',
  'api stopped',
  'api at a failpoint',
  'worker 1 killed',
  'worker 2 killed',
  'worker 1 stopped beyond a unit’s lease',
  'worker 2 stopped beyond a unit’s lease',
  'worker 1 stopped beyond every lease',
  'worker 1 at a failpoint',
  'worker 2 at a failpoint',
  'redis flushed',
  'redis killed',
  'redis asleep',
  'postgres ended at once',
  'postgres connections terminated',
  'postgres connections exhausted',
  'postgres hung',
  'postgres clock ahead',
  'clock of postgres set forward',
  'wallet locked',
  'supplier killed',
  'supplier answers delayed',
  'supplier answers dropped',
  'supplier requests reset',
  'supplier requests late',
  'supplier half-open',
  'supplier refuses connections',
  'supplier refuses without a record',
  'address of the supplier changed',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** A fault in which a process dies at the failpoint when it reaches it for the `pass`th time. */
export interface PlannedDeath {
  failpoint: Failpoint;
  pass: number;
}

export interface PlannedFault {
  atMs: number;
  kind: FaultKind;
  /** Its duration; the longest one if a process runs until a failpoint ends it. */
  forMs: number;
  /** The step of a clock that is set forward. */
  byMs?: number;
  death: PlannedDeath | null;
}

/** The error of the clocks of two processes, in seconds, from their start to the end of the run. */
export interface PlannedClocks {
  api: number;
  worker2: number;
}

export const API_FAILPOINTS: Failpoint[] = ['order.committed', 'wake_up.enqueued'];
export const WORKER_FAILPOINTS = FAILPOINTS.filter((name) => name !== 'order.committed');

const OFFSETS_SECONDS = [0, 90, -10_800, 10_800];

export const planClocks = (random: Random): PlannedClocks => ({
  api: random.pick(OFFSETS_SECONDS),
  worker2: random.pick(OFFSETS_SECONDS),
});

/** The target of a fault. A target never has two faults at a time. */
export const targetOf = (kind: FaultKind): string =>
  kind
    .split(' ')
    .slice(0, kind.startsWith('worker') ? 2 : 1)
    .join(' ');

function durationOf(kind: FaultKind, random: Random): number {
  if (kind.endsWith('a unit’s lease')) return UNIT_LEASE_MS + random.int(500, 3_000);
  if (kind.endsWith('every lease')) return MAX_LEASE_MS + random.int(500, 2_000);
  if (kind.endsWith('failpoint')) return START_MS + FAILPOINT_WITHIN_MS;
  if (kind === 'redis flushed' || kind === 'postgres connections terminated') return 0;
  if (kind === 'postgres hung') return random.int(500, 10_000);
  if (kind === 'postgres clock ahead') return random.int(1_000, 3_000);
  if (kind === 'wallet locked') return random.int(500, 6_000);
  // Long enough that units in doubt would be sent again if the service sent them to the other address.
  if (kind.startsWith('address')) return random.int(12_000, 15_000);
  if (kind.startsWith('supplier')) return random.int(1_000, 3_000);
  return random.int(200, 2_000);
}

/** Deals cards from a pack that is shuffled again when it is empty, so that each card comes once before any is repeated. */
class Pack<Card> {
  private cards: Card[] = [];

  constructor(
    private readonly all: readonly Card[],
    private readonly random: Random,
  ) {}

  /** The first card that `fits`, or none. */
  deal(fits: (card: Card) => boolean = () => true): Card | undefined {
    if (this.cards.length === 0) this.cards = this.random.shuffle(this.all);
    const at = this.cards.findIndex(fits);
    return at < 0 ? undefined : this.cards.splice(at, 1)[0];
  }
}

/** Failpoints that a process reaches so seldom that it would hardly reach them twice. */
const RARE = new Set<Failpoint>(['unit.refused', 'unit.reattempted']);

/** Each worker gets failpoints more often than other faults, because there are many failpoints. */
const OF_FAILPOINTS = FAULTS.filter((kind) => /^worker . at a/.test(kind));
const CARDS: FaultKind[] = [...FAULTS, ...OF_FAILPOINTS, ...OF_FAILPOINTS].filter(
  (kind) => kind !== 'clock of postgres set forward',
);

function planDeath(failpoint: Failpoint, random: Random): PlannedDeath {
  const pass = random.int(1, 4);
  return { failpoint, pass: RARE.has(failpoint) ? 1 : pass };
}

/** @param clockOfPostgres whether it may be set. Then its times cannot show whether sends came too soon. */
export function planFaults(random: Random, durationMs: number, clockOfPostgres: boolean): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const busyUntil = new Map<string, number>();
  const cards = CARDS.filter((kind) => clockOfPostgres || kind !== 'postgres clock ahead');
  const kinds = new Pack<FaultKind>(cards, random);
  const deaths = {
    api: new Pack(API_FAILPOINTS, random),
    worker: new Pack(WORKER_FAILPOINTS, random),
  };
  for (let atMs = random.int(800, 1_500); atMs < durationMs; atMs += random.int(700, 2_200)) {
    let forMs = 0;
    const kind = kinds.deal((card) => {
      forMs = durationOf(card, random);
      return (busyUntil.get(targetOf(card)) ?? 0) <= atMs && atMs + forMs <= durationMs;
    });
    if (kind === undefined) continue;
    const pack = kind.startsWith('api') ? deaths.api : deaths.worker;
    const failpoint = kind.endsWith('failpoint') ? pack.deal() : undefined;
    const death = failpoint === undefined ? null : planDeath(failpoint, random);
    faults.push({ atMs, kind, forMs, death });
    // A pause after each fault, so that its target works again.
    busyUntil.set(targetOf(kind), atMs + forMs + 1_000);
  }
  return faults;
}

/** Longer than any lease and any quiet period of the run; shorter than the error of time that receivers allow in a signature. */
const STEP_SECONDS = { least: 30, most: 120 };
/** Longer than the time in which workers send nothing again after a step of the clock. */
const STEP_LASTS_MS = { least: 10_000, most: 16_000 };

/** Sets the clock of PostgreSQL forward from time to time, beside all other faults, and sets it right long after. */
export function planClockSteps(random: Random, durationMs: number): PlannedFault[] {
  const faults: PlannedFault[] = [];
  for (let atMs = random.int(3_000, 7_000); atMs < durationMs;) {
    const byMs = 1_000 * random.int(STEP_SECONDS.least, STEP_SECONDS.most);
    const forMs = random.int(STEP_LASTS_MS.least, STEP_LASTS_MS.most);
    faults.push({ atMs, kind: 'clock of postgres set forward', forMs, byMs, death: null });
    atMs += forMs + random.int(3_000, 7_000);
  }
  return faults;
}

/** The failpoints from one attempt to the start of the next one. */
export const ATTEMPT_STEPS: Failpoint[] = [
  ...(['unit.claimed', 'supplier.calling', 'supplier.answered', 'unit.postponed'] as const),
  ...(['unit.refused', 'unit.reattempted', 'wake_up.enqueued'] as const),
];

/** Only workers that die, each again and again, until both have died at every step at least once. */
export function planDeaths(random: Random, durationMs: number): PlannedFault[] {
  return (['worker 1 at a failpoint', 'worker 2 at a failpoint'] as const).flatMap((kind, index) => {
    const steps = new Pack(ATTEMPT_STEPS, random.fork(kind));
    const faults: PlannedFault[] = [];
    const forMs = durationOf(kind, random);
    // One of them always runs.
    for (let atMs = 1_000 + (index * forMs) / 2; atMs + forMs <= durationMs; atMs += forMs + 500) {
      const failpoint = steps.deal();
      if (failpoint === undefined) continue;
      faults.push({ atMs, kind, forMs, death: { failpoint, pass: random.int(1, 3) } });
    }
    return faults;
  });
}
