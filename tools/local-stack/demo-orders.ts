import type { UnitFailureCode } from '../../src/core/failures.js';
import { demoShops, playerOf, sellers, sequence, type DemoPlayer } from './demo-shops.js';
import type { DemoProduct } from './catalogue.js';

const ORDERS = 220;
/** So many of them are of the last hour, for the console's view of the present. */
const RECENT_ORDERS = 24;
const DAYS = 14;
const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BANGKOK_MS = 7 * HOUR_MS;
/** Weights of the hours of a day in Bangkok: most players top up in the evening. */
const HOURS = [3, 2, 1, 0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 4, 4, 4, 5, 6, 8, 11, 13, 12, 9, 5];

/** A call to a supplier and its outcome. */
export interface DemoCall {
  kind: 'send' | 'inquiry';
  outcome: 'succeeded' | 'failed' | 'unknown';
  detail: string | null;
  startedAt: Date;
  durationMs: number;
}

export interface DemoAttempt {
  /** Index of the supplier in `demoSuppliers`. */
  supplier: number;
  calls: DemoCall[];
  failure: UnitFailureCode | null;
}

export interface DemoUnit {
  item: number;
  unit: number;
  attempts: DemoAttempt[];
  state: 'succeeded' | 'failed' | 'review';
}

export interface DemoOrder {
  /** Index of the shop in `demoShops`, and the shop's number of the order. */
  shop: number;
  number: number;
  player: DemoPlayer;
  lines: { product: DemoProduct; quantity: number }[];
  placedAt: Date;
  units: DemoUnit[];
}

/** The course of an order. All but `usual` are given to every so many orders. */
type Course = 'usual' | 'rerouted' | 'doubtful' | 'refused' | 'sold_out' | 'partial' | 'review';

/** The orders of the last two weeks, oldest first. Only their times differ from start to start. */
export function demoOrders(now: Date): DemoOrder[] {
  const next = sequence(20_482);
  const times = timesBefore(now, next);
  const reviewed = times.filter((at) => at.getTime() < now.getTime() - 26 * HOUR_MS).length - 1;
  const counts = demoShops.map(({ firstNumber }) => firstNumber);
  return times.map((placedAt, index) => {
    const shop = shopAt(next());
    const number = counts[shop] ?? 0;
    counts[shop] = number + 1 + Math.floor(next() * 2);
    const course = index === reviewed || index === reviewed - 4 ? 'review' : courseOf(index);
    const lines = linesOf(course, next);
    const player = playerOf(first(lines).product, next);
    return { shop, number, player, lines, placedAt, units: unitsOf(course, lines, placedAt, next) };
  });
}

function timesBefore(now: Date, next: () => number): Date[] {
  const today = Math.floor((now.getTime() + BANGKOK_MS) / DAY_MS) * DAY_MS - BANGKOK_MS;
  const all = HOURS.reduce((sum, weight) => sum + weight, 0);
  const hourAt = (share: number): number => {
    let left = share * all;
    return HOURS.findIndex((weight) => (left -= weight) < 0);
  };
  const spread = Array.from({ length: ORDERS - RECENT_ORDERS }, (_, index) => {
    const at = today - (index % DAYS) * DAY_MS + hourAt(next()) * HOUR_MS + next() * HOUR_MS;
    return at < now.getTime() - HOUR_MS ? at : at - DAY_MS;
  });
  const lately = Array.from({ length: RECENT_ORDERS }, () => now.getTime() - (1 + next() * 57) * MINUTE_MS);
  return [...spread, ...lately].sort((one, other) => one - other).map((at) => new Date(Math.floor(at)));
}

function shopAt(share: number): number {
  let left = share * 10;
  const found = demoShops.findIndex((shop) => (left -= shop.share) < 0);
  return Math.max(found, 0);
}

function courseOf(index: number): Course {
  if (index % 31 === 12) return index % 2 === 0 ? 'refused' : 'sold_out';
  if (index % 43 === 17) return 'partial';
  if (index % 37 === 5) return 'doubtful';
  return index % 19 === 7 ? 'rerouted' : 'usual';
}

function linesOf(course: Course, next: () => number): DemoOrder['lines'] {
  const pick = (among: readonly DemoProduct[]): DemoProduct => first(among.slice(Math.floor(next() * among.length)));
  const product = pick(sellers);
  if (course === 'partial') return [{ product, quantity: 3 }];
  const quantity = next() < 0.8 || product.maxQuantity !== undefined ? 1 : 2;
  // An order is for one player of one game, so the other product is of the same game.
  const others = sellers.filter((each) => each.sku !== product.sku && gameOf(each) === gameOf(product));
  const isPair = next() < 0.12 && others.length > 0;
  return [{ product, quantity }, ...(isPair ? [{ product: pick(others), quantity: 1 }] : [])];
}

const gameOf = ({ sku }: DemoProduct): string => sku.split('-', 1)[0] ?? sku;

function unitsOf(course: Course, lines: DemoOrder['lines'], placedAt: Date, next: () => number): DemoUnit[] {
  const each = lines.flatMap(({ quantity }, line) =>
    Array.from({ length: quantity }, (_, index) => ({ item: line + 1, unit: index + 1 })),
  );
  return each.map((key, index) => {
    const own = course === 'partial' ? (index === each.length - 1 ? 'sold_out' : 'usual') : course;
    const attempts = attemptsOf(own, new Date(placedAt.getTime() + 40 + Math.floor(next() * 90)), next);
    const isRefused = own === 'refused' || own === 'sold_out';
    return { ...key, attempts, state: own === 'review' ? 'review' : isRefused ? 'failed' : 'succeeded' };
  });
}

const SOLD_OUT = 'OUT_OF_STOCK: Sold out';
const NO_PLAYER = 'INVALID_PLAYER: No such player';
const TIMED_OUT = 'no answer within 7 s';
const UNAVAILABLE = 'HTTP 503';

function attemptsOf(course: Course, at: Date, next: () => number): DemoAttempt[] {
  const took = (from: number): number => Math.floor(from + next() * from * 2);
  const refusal = (supplier: number, startedAt: Date, detail: string, failure: UnitFailureCode): DemoAttempt => ({
    supplier,
    failure,
    calls: [{ kind: 'send', outcome: 'failed', detail, startedAt, durationMs: took(140) }],
  });
  const purchase = (supplier: number, startedAt: Date): DemoAttempt => {
    const durationMs = took(supplier === 0 ? 260 : 420);
    const calls: DemoCall[] = [{ kind: 'send', outcome: 'succeeded', detail: null, startedAt, durationMs }];
    return { supplier, failure: null, calls };
  };
  const later = new Date(at.getTime() + 900);
  switch (course) {
    case 'refused':
      return [refusal(0, at, NO_PLAYER, 'INVALID_PLAYER')];
    case 'sold_out':
      return [refusal(0, at, SOLD_OUT, 'OUT_OF_STOCK'), refusal(1, later, SOLD_OUT, 'OUT_OF_STOCK')];
    case 'rerouted':
      return [refusal(0, at, SOLD_OUT, 'OUT_OF_STOCK'), purchase(1, later)];
    case 'doubtful':
      return [{ supplier: 0, failure: null, calls: [unanswered(at), asked(at, 9_500, 'succeeded', null)] }];
    case 'review':
      // Inquiries at growing intervals, for a day.
      return [
        {
          supplier: 1,
          failure: null,
          calls: [
            unanswered(at),
            ...[9, 20, 60, 300, 1_800, 10_800, 43_200, 86_400].map((seconds) =>
              asked(at, seconds * 1_000, 'unknown', UNAVAILABLE),
            ),
          ],
        },
      ];
    case 'usual':
    case 'partial':
      return [purchase(0, at)];
  }
}

const unanswered = (startedAt: Date): DemoCall => ({
  kind: 'send',
  outcome: 'unknown',
  detail: TIMED_OUT,
  startedAt,
  durationMs: 7_000,
});

const asked = (at: Date, afterMs: number, outcome: DemoCall['outcome'], detail: string | null): DemoCall => ({
  kind: 'inquiry',
  outcome,
  detail,
  durationMs: 120,
  startedAt: new Date(at.getTime() + afterMs),
});

export const endOf = ({ startedAt, durationMs }: DemoCall): Date => new Date(startedAt.getTime() + durationMs);

export function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('there is none');
  return item;
}
