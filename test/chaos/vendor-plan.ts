import type { Random } from './random.js';

/** What the account at the simulated vendor is, besides what the simulator makes of it by itself. */
export const VENDOR = {
  username: 'demo-reseller',
  key: 'prod-7d20a3f8-test',
  webhookSecret: 'hook-secret-1',
  /** More than a run spends, in rupiah. */
  deposit: 1_000_000_000,
  bahtPerRupiah: '0.0021',
};

/** Where a product is bought, the first one first. */
interface PlannedOffer {
  supplier: 'sim' | 'digi';
  supplierSku: string;
  /** In rupiah, of the vendor. */
  cost?: number;
}

export interface RoutedProduct {
  sku: string;
  price: string;
  offers: PlannedOffer[];
}

const VENDOR_FIRST = 'CHAOS-VENDOR-FIRST';
const VENDOR_SECOND = 'CHAOS-VENDOR-SECOND';
/** Sold by the vendor alone: while it is paused, orders of it are refused. */
export const VENDOR_ONLY = 'CHAOS-VENDOR-ONLY';

/** The last one costs so much that its price limits what it may cost, and not the usual guard. */
export const ROUTED_PRODUCTS: readonly RoutedProduct[] = [
  {
    ...{ sku: VENDOR_FIRST, price: '35.00' },
    offers: [
      { supplier: 'digi', supplierSku: 'chaos-first', cost: 10_000 },
      { supplier: 'sim', supplierSku: 'CHAOS-SECOND' },
    ],
  },
  {
    ...{ sku: VENDOR_SECOND, price: '35.00' },
    offers: [
      { supplier: 'sim', supplierSku: 'CHAOS-FIRST' },
      { supplier: 'digi', supplierSku: 'chaos-second', cost: 11_000 },
    ],
  },
  {
    ...{ sku: VENDOR_ONLY, price: '35.00' },
    offers: [{ supplier: 'digi', supplierSku: 'chaos-only', cost: 16_500 }],
  },
];

/** A rule of the simulator, but for the player whom it is about. */
type Rule = Record<string, unknown>;

const LATER_MS = 3_000;
const pending = (rc: string, callback: Rule): Rule[] => [
  { rc: '03', then: [{ rc, after_ms: LATER_MS }], callback },
];
/** Answers `rc` to the next call about what was bought, which says nothing of it; nor does anybody else tell. */
const boughtAndAnswered = (rc: string): Rule[] => [
  { drop: true, callback: { mode: 'never' } },
  { match: { repeat: true }, rc, answer_only: true },
];

/** What the vendor does with the purchases of a player, by the beginning of the player's name. */
const BEHAVIOURS = {
  'bought-drop': [{ drop: true }],
  'lost-drop': [{ drop: true, decide: false }],
  'cut-off': [{ drop: 'mid_body' }],
  slow: [{ delay_ms: 2_500 }],
  // The caller has given up when it arrives.
  late: [{ delay_before_ms: 2_500 }],
  'bought-504': [{ http: 504, times: 2 }],
  'lost-502': [{ http: 502, decide: false }],
  html: [{ body: 'html' }],
  truncated: [{ body: 'truncated' }],
  // Not for ever: nothing is on record, so that what is in doubt would stay so.
  'out-of-stock': [{ rc: '68', times: 4 }],
  refused: [{ rc: '02', times: null }],
  'refused-drop': [{ rc: '02', drop: true }],
  'wrong-player': [{ rc: '54', times: null }],
  'timeout-bought': [{ rc: '01', then: [{ rc: '00', after_ms: LATER_MS }], callback: { mode: 'never' } }],
  'timeout-refused': [{ rc: '70' }],
  'too-often': [{ rc: '85' }],
  'not-unique': boughtAndAnswered('49'),
  'deposit-low': boughtAndAnswered('44'),
  'stock-empty': boughtAndAnswered('68'),
  pending: pending('00', {}),
  'pending-refused': pending('02', {}),
  'pending-silent': pending('00', { mode: 'never' }),
  'pending-twice': pending('00', { mode: 'twice' }),
  'pending-swapped': pending('00', { mode: 'out_of_order' }),
  'pending-late': pending('00', { delay_ms: 60_000 }),
  'pending-unsigned': pending('00', { signature: 'absent' }),
  'early-callback': [{ callback: { mode: 'before_answer' }, delay_ms: 800 }],
  // It says so while the next attempt is in doubt.
  'too-often-bought': [
    { rc: '85', then: [{ rc: '00', after_ms: 200_000 }] },
    { drop: true, callback: { mode: 'never' } },
  ],
  'bought-late': [{ rc: '02', then: [{ rc: '00', after_ms: LATER_MS }] }],
  'taken-back': [{ rc: '00', then: [{ rc: '74', after_ms: LATER_MS }] }],
} satisfies Record<string, Rule[]>;

type Behaviour = keyof typeof BEHAVIOURS;
const NAMES = Object.keys(BEHAVIOURS) as Behaviour[];

/** Players to whom the other supplier refuses to sell, at once or after a doubt. */
const REFUSED_BY_THE_OTHER = [
  ...['sim-fail-out_of_stock', 'sim-fail-limit_exceeded', 'sim-partial-1'],
  ...['sim-drop-fail', 'sim-drop-succeed', 'sim-500-fail'],
];
const REFUSED_BY_THE_VENDOR: Behaviour[] = ['out-of-stock', 'refused', 'refused-drop', 'pending-refused'];

/** How many orders are for what the vendor sells. */
const SHARE = 0.3;

export interface RoutedOrder {
  userId: string;
  items: { sku: string; quantity: number }[];
}

/** @returns null for an order of something else. */
export function planRoutedOrder(random: Random, number: number): RoutedOrder | null {
  if (!random.chance(SHARE)) return null;
  const any = random.pick(ROUTED_PRODUCTS).sku;
  const [userId, sku] = random.weighted([
    [2, [`player-${number}`, any]],
    [4, [random.pick(REFUSED_BY_THE_OTHER), VENDOR_SECOND]],
    [3, [`${random.pick(REFUSED_BY_THE_VENDOR)}-${number}`, VENDOR_FIRST]],
    [7, [`${random.pick(NAMES)}-${number}`, any]],
  ] as const);
  return { userId, items: [{ sku, quantity: random.int(1, 2) }] };
}

/** How the vendor is told who gets it: the user and then the server, which is the same for all. */
export const SERVER_ID = '2001';
export const customerOf = (userId: string): string => userId + SERVER_ID;

export const behaviourOf = (userId: string): Behaviour | null =>
  NAMES.find((name) => userId.startsWith(`${name}-`) && /^\d+$/.test(userId.slice(name.length + 1))) ?? null;

/** Whether the vendor says of the player's purchases that it did not sell, and later that it did: nobody can know before. */
export const isBoughtLate = (userId: string): boolean =>
  ['bought-late', 'too-often-bought'].includes(behaviourOf(userId) ?? '');

/** What the simulator is told about these players. */
export function rulesFor(userIds: string[]): Rule[] {
  return userIds.flatMap((userId) => {
    const behaviour = behaviourOf(userId);
    const rules: Rule[] = behaviour === null ? [] : BEHAVIOURS[behaviour];
    return rules.map((rule) => ({
      ...rule,
      match: { player: customerOf(userId), ...(rule.match as object | undefined) },
    }));
  });
}

export const VENDOR_FAULTS = [
  'vendor killed',
  'vendor answers dropped',
  'vendor refuses connections',
  'vendor has no deposit left',
  'vendor has another key',
] as const;
export type VendorFault = (typeof VENDOR_FAULTS)[number];

export interface PlannedVendorFault {
  atMs: number;
  kind: VendorFault;
  forMs: number;
}

/** One after the other, each once before any comes again. */
export function planVendorFaults(random: Random, durationMs: number): PlannedVendorFault[] {
  const faults: PlannedVendorFault[] = [];
  let kinds: VendorFault[] = [];
  for (let atMs = random.int(2_000, 5_000); atMs < durationMs;) {
    if (kinds.length === 0) kinds = random.shuffle(VENDOR_FAULTS);
    const kind = kinds.pop();
    const forMs = random.int(1_000, 3_000);
    if (kind !== undefined && atMs + forMs <= durationMs) faults.push({ atMs, kind, forMs });
    atMs += forMs + random.int(3_000, 6_000);
  }
  return faults;
}
