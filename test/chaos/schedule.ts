import {
  planClocks,
  planClockSteps,
  planDeaths,
  planFaults,
  SUPPLIER_TIMEOUT_MS,
  type PlannedClocks,
  type PlannedFault,
} from './fault-plan.js';
import { Random } from './random.js';
import { planStrangeOrders } from './strange-orders.js';
import {
  planFailover,
  planRoutedOrder,
  planVendorFaults,
  planVendors,
  type PlannedVendorFault,
  type RoutedOrder,
} from './vendor-plan.js';
import type { AnswerCode } from './vendors/vendor-kind.js';

/** SUPPLIER_QUIET_PERIOD_MS: as short as the supplier's timeout allows. */
export const QUIET_PERIOD_MS = SUPPLIER_TIMEOUT_MS + 3_000;

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
  /** Of its share of suppliers' slots; 1 unless given. */
  weight?: number;
}

const BOTH = ['order.completed', 'order.failed'];

/**
 * The third has money for a few orders only, so that others are refused until refunds arrive. The last places few
 * orders, of many units each.
 */
export const MERCHANTS: PlannedMerchant[] = [
  { name: 'Two webhooks', baht: '1000000.00', webhooks: [BOTH, BOTH], weight: 3 },
  { name: 'Failures only', baht: '1000000.00', webhooks: [['order.failed']] },
  { name: 'Short of money', baht: '600.00', webhooks: [BOTH] },
  { name: 'Whale', baht: '1000000.00', webhooks: [BOTH] },
];
const WHALE = 3;

/** One planned order, and the behaviour of its client. */
export interface PlannedOrder {
  atMs: number;
  merchant: number;
  reference: string;
  userId: string;
  items: { sku: string; quantity: number }[];
  /** How long the client waits for its first answer. Impatient clients often leave before a commit is acknowledged. */
  patienceMs: number;
  /** Whether it sends the first request twice at the same time. */
  doubled: boolean;
  /** Repeats the request this long after it was acknowledged. */
  replayAfterMs: number | null;
  /** Sends another order with the same reference this long after the first was acknowledged. */
  conflictAfterMs: number | null;
  /** Reads the order this long after it was acknowledged. */
  readAfterMs: number | null;
}

export interface Schedule {
  vendors: AnswerCode[];
  orders: PlannedOrder[];
  faults: PlannedFault[];
  vendorFaults: PlannedVendorFault[];
  clocks: PlannedClocks;
  /** Whether the clock of PostgreSQL is set forward and back among the faults. */
  clockOfPostgres: boolean;
  /** SUPPLIER_REVIEW_AFTER_MS, short enough for units to go to review; null leaves it at its default. */
  reviewAfterMs: number | null;
}

const ORDERS_PER_SECOND = 8;
const UNITS_OF_WHALE = 200;
/** The most orders whose units the supplier loses. Only an operator ends them, with a command for each. */
const MAX_LOST_ORDERS = 3;

/**
 * The complete plan of a seed. The same seed gives the same load and the same faults.
 * @param isStepwise whether all orders go from one vendor to another, and the only faults are workers that die at each step.
 */
export function planSchedule(seed: number, seconds: number, isStepwise = false): Schedule {
  const random = new Random(seed);
  const settings = random.fork('settings');
  const reviewAfterMs = settings.chance(0.35) ? settings.int(15_000, 25_000) : null;
  const clockOfPostgres = settings.chance(0.5);
  const vendors = planVendors(random.fork('vendors'));
  const routed = random.fork('routed orders');
  const durationMs = seconds * 1000;
  if (isStepwise) {
    return {
      vendors,
      orders: planOrders(random.fork('orders'), durationMs, (number) => planFailover(routed, vendors, number)),
      faults: planDeaths(random.fork('deaths'), durationMs),
      vendorFaults: [],
      clocks: { api: 0, worker2: 0 },
      clockOfPostgres: false,
      reviewAfterMs: null,
    };
  }
  const orders = planOrders(random.fork('orders'), durationMs, (number) => planRoutedOrder(routed, vendors, number));
  const faults = planFaults(random.fork('faults'), durationMs, clockOfPostgres);
  const steps = clockOfPostgres ? planClockSteps(random.fork('clock steps'), durationMs) : [];
  return {
    vendors,
    orders: [
      ...orders,
      ...planStrange(random.fork('strange orders'), vendors, durationMs),
      ...planWhale(random.fork('whale'), durationMs),
    ].sort(byTime),
    faults: [...faults, ...steps].sort(byTime),
    vendorFaults: planVendorFaults(random.fork('vendor faults'), vendors, durationMs),
    clocks: planClocks(random.fork('clocks')),
    clockOfPostgres,
    reviewAfterMs,
  };
}

/** @param planRouted plans orders of products with several suppliers or vendors; null for other orders. */
function planOrders(
  random: Random,
  durationMs: number,
  planRouted: (number: number) => RoutedOrder | null,
): PlannedOrder[] {
  const orders: PlannedOrder[] = [];
  let lost = 0;
  for (let atMs = 0; atMs < durationMs; atMs += random.int(20, 2_000 / ORDERS_PER_SECOND - 20)) {
    let userId = planUser(random);
    if (userId === 'sim-lost' && ++lost > MAX_LOST_ORDERS) userId = 'player';
    const items = planItems(random, userId);
    const number = orders.length + 1;
    const wanted = planRouted(number) ?? { userId, items };
    orders.push({ atMs, reference: `chaos-${number}`, ...wanted, ...planClient(random) });
  }
  return orders;
}

function planStrange(random: Random, vendors: readonly AnswerCode[], durationMs: number): PlannedOrder[] {
  const wanted = planStrangeOrders(random.fork('wanted'), vendors, durationMs);
  return wanted.map((each, index) => ({ reference: `strange-${index + 1}`, ...each, ...planClient(random) }));
}

/** Orders that take a supplier seconds. Meanwhile the units of other merchants wait for their share of its slots. */
function planWhale(random: Random, durationMs: number): PlannedOrder[] {
  const orders: PlannedOrder[] = [];
  for (let units = 0; units < UNITS_OF_WHALE;) {
    const quantity = random.int(50, 100);
    units += quantity;
    orders.push({
      ...planClient(random),
      merchant: WHALE,
      atMs: random.int(0, durationMs / 2),
      reference: `whale-${orders.length + 1}`,
      userId: `sim-slow-${random.pick([200, 400, 700])}`,
      items: [{ sku: 'CHAOS-1', quantity }],
    });
  }
  return orders;
}

/** Plans the merchant of an order, and the behaviour of its client. */
function planClient(random: Random): Omit<PlannedOrder, 'atMs' | 'reference' | keyof RoutedOrder> {
  const maybe = (probability: number): number | null => (random.chance(probability) ? random.int(50, 6_000) : null);
  return {
    merchant: random.weighted([
      [5, 0],
      [4, 1],
      [1, 2],
    ] as const),
    patienceMs: random.chance(0.1) ? random.int(5, 120) : 4_000,
    doubled: random.chance(0.08),
    replayAfterMs: maybe(0.15),
    conflictAfterMs: maybe(0.04),
    readAfterMs: maybe(0.3),
  };
}

const byTime = (one: { atMs: number }, other: { atMs: number }): number => one.atMs - other.atMs;

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
    sku: random.weighted([
      [6, 'CHAOS-35'],
      [6, 'CHAOS-12'],
      [4, 'CHAOS-1'],
      [1, 'CHAOS-UNKNOWN'],
    ]),
    quantity: random.int(1, 3),
  }));
}
