import { Random } from './random.js';

/** What a worker's claim on a unit lasts is the supplier's timeout and three seconds: see `unit-dispatcher.ts`. */
export const SUPPLIER_TIMEOUT_MS = 1_500;
const LEASE_MS = SUPPLIER_TIMEOUT_MS + 3_000;

export const PRODUCTS = [
  { sku: 'CHAOS-35', price: '35.00', supplierSku: 'CHAOS-35' },
  { sku: 'CHAOS-12', price: '12.50', supplierSku: 'CHAOS-12' },
  { sku: 'CHAOS-1', price: '0.99', supplierSku: 'CHAOS-1' },
  { sku: 'CHAOS-UNKNOWN', price: '7.77', supplierSku: 'SIM-UNKNOWN-1' },
] as const;

export interface PlannedMerchant {
  name: string;
  baht: string;
  /** The events of each webhook. */
  webhooks: string[][];
}

const BOTH = ['order.completed', 'order.failed'];

/** The last one has money for a few orders only, so that others of it are refused until refunds come in. */
export const MERCHANTS: PlannedMerchant[] = [
  { name: 'Two webhooks', baht: '1000000.00', webhooks: [BOTH, BOTH] },
  { name: 'Failures only', baht: '1000000.00', webhooks: [['order.failed']] },
  { name: 'Short of money', baht: '600.00', webhooks: [BOTH] },
];

/** One order that a client will place, and how this client behaves. */
export interface PlannedOrder {
  atMs: number;
  merchant: number;
  reference: string;
  userId: string;
  items: { sku: string; quantity: number }[];
  /** How long the client waits for its first answer; impatient ones often leave before a commit is acknowledged. */
  patienceMs: number;
  /** Sends the first request twice at the same time. */
  doubled: boolean;
  /** Sends the request again that long after it was acknowledged. */
  replayAfterMs: number | null;
  /** Sends another order under the same reference that long after it was acknowledged. */
  conflictAfterMs: number | null;
  /** Reads the order that long after it was acknowledged. */
  readAfterMs: number | null;
}

export const FAULTS = [
  'api killed',
  'api stopped',
  'worker 1 killed',
  'worker 2 killed',
  'worker 1 stopped beyond its lease',
  'worker 2 stopped beyond its lease',
  'redis flushed',
  'redis killed',
  'postgres ended at once',
  'postgres connections terminated',
  'supplier killed',
  'supplier answers delayed',
  'supplier requests reset',
  'supplier answers dropped',
  'supplier requests late',
  'supplier refuses connections',
] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface PlannedFault {
  atMs: number;
  kind: FaultKind;
  forMs: number;
}

export interface Schedule {
  orders: PlannedOrder[];
  faults: PlannedFault[];
}

const ORDERS_PER_SECOND = 8;
/** Only the operator ends them, which takes a command each. */
const MAX_LOST_ORDERS = 3;

/** Everything that a seed decides beforehand: the same one gives the same load and the same faults. */
export function planSchedule(seed: number, seconds: number): Schedule {
  const random = new Random(seed);
  return {
    orders: planOrders(random.fork('orders'), seconds * 1000),
    faults: planFaults(random.fork('faults'), seconds * 1000),
  };
}

function planOrders(random: Random, durationMs: number): PlannedOrder[] {
  const orders: PlannedOrder[] = [];
  let lost = 0;
  for (let atMs = 0; atMs < durationMs; atMs += random.int(20, 2_000 / ORDERS_PER_SECOND - 20)) {
    let userId = planUser(random);
    if (userId === 'sim-lost' && ++lost > MAX_LOST_ORDERS) userId = 'player';
    const maybe = (probability: number): number | null =>
      random.chance(probability) ? random.int(50, 6_000) : null;
    orders.push({
      atMs,
      merchant: random.weighted([[5, 0], [4, 1], [1, 2]] as const), // prettier-ignore
      reference: `chaos-${orders.length + 1}`,
      userId,
      items: planItems(random, userId),
      patienceMs: random.chance(0.1) ? random.int(5, 120) : 4_000,
      doubled: random.chance(0.08),
      replayAfterMs: maybe(0.15),
      conflictAfterMs: maybe(0.04),
      readAfterMs: maybe(0.3),
    });
  }
  return orders;
}

function planUser(random: Random): string {
  const name = random.weighted([
    [40, 'player'],
    [8, 'fail'],
    [8, 'partial'],
    [8, 'slow'],
    [8, 'processing'],
    [5, 'sim-drop-succeed'],
    [5, 'sim-drop-fail'],
    [5, 'sim-500-succeed'],
    [5, 'sim-500-fail'],
    [6, 'sim-garbage-succeed'],
    [1, 'sim-lost'],
  ]);
  switch (name) {
    case 'player':
      return `player-${random.int(1, 99)}`;
    case 'fail':
      return `sim-fail-${random.pick(['out_of_stock', 'invalid_player', 'limit_exceeded'])}`;
    case 'partial':
      return `sim-partial-${random.int(1, 2)}`;
    case 'slow':
      // Some answers come after the timeout.
      return `sim-slow-${random.pick([200, 700, 1_200, 1_600, 2_500])}`;
    case 'processing':
      return `sim-processing-${random.pick([300, 1_500, 3_000])}`;
    default:
      return name;
  }
}

function planItems(random: Random, userId: string): PlannedOrder['items'] {
  if (userId === 'sim-lost') return [{ sku: 'CHAOS-1', quantity: 1 }];
  const skus = random.weighted([
    [60, 1],
    [30, 2],
    [10, 3],
  ]);
  return Array.from({ length: skus }, () => ({
    sku: random.weighted([[6, 'CHAOS-35'], [6, 'CHAOS-12'], [4, 'CHAOS-1'], [1, 'CHAOS-UNKNOWN']]), // prettier-ignore
    quantity: random.int(1, 3),
  }));
}

/** What a fault befalls: two at a time never befall the same. */
const targetOf = (kind: FaultKind): string => kind.split(' ').slice(0, kind.startsWith('worker') ? 2 : 1).join(' '); // prettier-ignore

function durationOf(kind: FaultKind, random: Random): number {
  if (kind.includes('lease')) return LEASE_MS + random.int(500, 3_000);
  if (kind === 'redis flushed' || kind === 'postgres connections terminated') return 0;
  if (kind.startsWith('supplier')) return random.int(1_000, 3_000);
  return random.int(200, 2_000);
}

/** Deals the kinds like cards, so that each has its turn before any comes again. */
function planFaults(random: Random, durationMs: number): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const busyUntil = new Map<string, number>();
  let deck: FaultKind[] = [];
  for (let atMs = random.int(800, 1_500); ; atMs += random.int(1_200, 3_200)) {
    if (deck.length === 0) deck = random.shuffle(FAULTS);
    const free = deck.findIndex((kind) => (busyUntil.get(targetOf(kind)) ?? 0) <= atMs);
    const [kind] = free < 0 ? [] : deck.splice(free, 1);
    if (kind === undefined) continue;
    const forMs = durationOf(kind, random);
    if (atMs + forMs > durationMs) return faults;
    faults.push({ atMs, kind, forMs });
    // A little peace after each, so that what was ended has begun to work again.
    busyUntil.set(targetOf(kind), atMs + forMs + 1_000);
  }
}
