import type { Random } from './random.js';
import { VENDOR_CODES, type Article, type Json, type AnswerCode } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';

/** The suppliers of a product, in the order of its offers; `sim` is the supplier of our own protocol. */
interface PlannedOffer {
  supplier: 'sim' | AnswerCode;
  supplierSku: string;
  cost?: string;
  template?: string;
}

export interface RoutedProduct {
  sku: string;
  price: string;
  kind: 'topup' | 'code';
  offers: PlannedOffer[];
  /** The suppliers, in the order of their offers. */
  vendors: AnswerCode[];
}

const PRICE = '35.00';

function offerOf(vendor: AnswerCode, article: Article): PlannedOffer {
  const offered = VENDORS[vendor].articles[article];
  if (!offered) throw new Error(`${vendor} has no ${article}`);
  return { supplier: vendor, ...offered };
}

const nameOf = (...parts: string[]): string => ['chaos', ...parts].join('-').toUpperCase();

/** A vendor before the other supplier, after it, and alone. */
const productsOf = (vendor: AnswerCode): RoutedProduct[] => {
  const common = { price: PRICE, kind: 'topup', vendors: [vendor] } as const;
  const sim = (supplierSku: string): PlannedOffer => ({ supplier: 'sim', supplierSku });
  return [
    { sku: firstAt(vendor), offers: [offerOf(vendor, 'first'), sim('CHAOS-SECOND')] },
    { sku: secondAt(vendor), offers: [sim('CHAOS-FIRST'), offerOf(vendor, 'second')] },
    { sku: nameOf(vendor, 'only'), offers: [offerOf(vendor, 'only')] },
  ].map((each) => ({ ...each, ...common, vendors: [vendor] }));
};

export const firstAt = (vendor: AnswerCode): string => nameOf(vendor, 'first');
const secondAt = (vendor: AnswerCode): string => nameOf(vendor, 'second');
const bothAt = (one: AnswerCode, other: AnswerCode): string => nameOf(one, other);
const cardOf = (vendor: AnswerCode): string => nameOf(vendor, 'code');

const sellsCards = (vendor: AnswerCode): boolean => VENDORS[vendor].articles.code !== null;

/** The products of these vendors: of each alone, of several with failover, and cards with failover. */
export function routedProducts(vendors: readonly AnswerCode[]): RoutedProduct[] {
  const pairs = vendors.flatMap((one) => vendors.filter((other) => other !== one).map((other) => [one, other])) as [
    AnswerCode,
    AnswerCode,
  ][];
  const dealers = vendors.filter(sellsCards);
  return [
    ...vendors.flatMap(productsOf),
    ...pairs.map(([one, other]): RoutedProduct => ({
      sku: bothAt(one, other),
      price: PRICE,
      kind: 'topup',
      vendors: [one, other],
      offers: [offerOf(one, 'first'), offerOf(other, 'second')],
    })),
    ...dealers.map((dealer): RoutedProduct => {
      const inOrder = [dealer, ...dealers.filter((other) => other !== dealer)];
      const offers = inOrder.map((each) => offerOf(each, 'code'));
      return { sku: cardOf(dealer), price: PRICE, kind: 'code', vendors: inOrder, offers };
    }),
  ];
}

/** The products of all runs. */
const ALL_PRODUCTS = new Map(routedProducts(VENDOR_CODES).map((each) => [each.sku, each]));

/** Products of vendors only. Their orders are refused while the vendors are paused. */
export const isOfVendorsOnly = (sku: string): boolean =>
  ALL_PRODUCTS.get(sku)?.offers.every(({ supplier }) => supplier !== 'sim') ?? false;

/** Chooses two or three vendors. */
export const planVendors = (random: Random): AnswerCode[] => random.shuffle(VENDOR_CODES).slice(0, random.int(2, 3));

/** Players whose units the other supplier refuses, at once or after a doubt. */
const REFUSED_BY_THE_OTHER = [
  'sim-fail-out_of_stock',
  'sim-fail-limit_exceeded',
  'sim-partial-1',
  'sim-drop-fail',
  'sim-drop-succeed',
  'sim-500-fail',
];

/** The share of orders for products of vendors. */
const SHARE = 0.4;

export interface RoutedOrder {
  userId: string;
  items: { sku: string; quantity: number }[];
}

/** @returns null for an order of another product. */
export function planRoutedOrder(random: Random, vendors: readonly AnswerCode[], number: number): RoutedOrder | null {
  if (!random.chance(SHARE)) return null;
  const vendor = random.pick(vendors);
  const other = random.pick(vendors.filter((each) => each !== vendor));
  const dealers = vendors.filter(sellsCards);
  const any = (code: AnswerCode): string => random.pick(Object.keys(VENDORS[code].behaviours));
  const refused = (code: AnswerCode): string => random.pick(VENDORS[code].refusing);
  const [userId, sku] = random.weighted([
    [2, [`player-${number}`, random.pick(productsOf(vendor)).sku]],
    [4, [random.pick(REFUSED_BY_THE_OTHER), secondAt(vendor)]],
    [3, [`${refused(vendor)}-${number}`, firstAt(vendor)]],
    [7, [`${any(vendor)}-${number}`, random.pick(productsOf(vendor)).sku]],
    [5, [`${refused(vendor)}_${any(other)}-${number}`, bothAt(vendor, other)]],
    [dealers.length > 0 ? 3 : 0, [`player-${number}`, cardOf(random.pick(dealers))]],
  ] as const);
  return { userId, items: [{ sku, quantity: random.int(1, 2) }] };
}

/** An order that one vendor refuses, at once or later, and another one sells with some behaviour. */
export function planFailover(random: Random, vendors: readonly AnswerCode[], number: number): RoutedOrder {
  const one = random.pick(vendors);
  const other = random.pick(vendors.filter((each) => each !== one));
  const refusal = random.pick(VENDORS[one].refusing);
  const sale = random.pick(Object.keys(VENDORS[other].behaviours));
  return { userId: `${refusal}_${sale}-${number}`, items: [{ sku: bothAt(one, other), quantity: 1 }] };
}

const allBehavioursOf = (vendor: AnswerCode): Record<string, readonly Json[]> => ({
  ...VENDORS[vendor].behaviours,
  ...VENDORS[vendor].contradictions,
});

/** The behaviour of vendors for a player. The player's name has the behaviour of each vendor of the product. */
export function behaviourAt(vendor: AnswerCode, sku: string, userId: string): string | null {
  const { vendors, kind } = ALL_PRODUCTS.get(sku) ?? {};
  const [, names = ''] = /^([a-z\d_-]+)-\d+$/.exec(userId) ?? [];
  const name = names.split('_')[vendors?.indexOf(vendor) ?? -1] ?? '';
  return kind === 'topup' && name in allBehavioursOf(vendor) ? name : null;
}

/** The number of cards that are sold normally before one is not. */
const USUAL_CARDS = 2;
const MAX_CARD_RULES = 24;

/** The rules of a vendor's simulator for these orders. */
export function rulesFor(vendor: AnswerCode, orders: readonly RoutedOrder[]): Json[] {
  const { playerOf, cardRules, articles } = VENDORS[vendor];
  const behaviours = allBehavioursOf(vendor);
  const byPlayer = new Map<string, Json[]>();
  for (const { userId, items } of orders) {
    for (const { sku } of items) {
      const behaviour = behaviourAt(vendor, sku, userId);
      if (behaviour === null) continue;
      const rules = behaviours[behaviour] ?? [];
      const match = { player: playerOf(userId) };
      byPlayer.set(
        userId,
        rules.map((rule) => ({ ...rule, match: { ...match, ...(rule.match as object | undefined) } })),
      );
    }
  }
  const cards = Array.from({ length: articles.code && cardRules.length > 0 ? MAX_CARD_RULES : 0 }, (_, index) => ({
    ...cardRules[index % cardRules.length],
    match: { sku: articles.code?.supplierSku, repeat: false },
    skip: (index + 1) * USUAL_CARDS,
  }));
  return [...byPlayer.values(), cards].flat();
}

export const VENDOR_FAULTS = [
  'killed',
  'answers dropped',
  'refuses connections',
  'has no deposit left',
  'has another key',
] as const;
export type VendorFault = (typeof VENDOR_FAULTS)[number];

export interface PlannedVendorFault {
  atMs: number;
  vendor: AnswerCode;
  kind: VendorFault;
  forMs: number;
}

/** The vendors in turn, each once before any is repeated. */
export function planVendorFaults(
  random: Random,
  vendors: readonly AnswerCode[],
  durationMs: number,
): PlannedVendorFault[] {
  return vendors.flatMap((vendor) => planFaultsAt(vendor, random.fork(vendor), durationMs));
}

function planFaultsAt(vendor: AnswerCode, random: Random, durationMs: number): PlannedVendorFault[] {
  const faults: PlannedVendorFault[] = [];
  let kinds: VendorFault[] = [];
  for (let atMs = random.int(2_000, 5_000); atMs < durationMs;) {
    if (kinds.length === 0) kinds = random.shuffle(VENDOR_FAULTS);
    const kind = kinds.pop();
    const forMs = random.int(1_000, 3_000);
    if (kind !== undefined && atMs + forMs <= durationMs) faults.push({ atMs, vendor, kind, forMs });
    atMs += forMs + random.int(3_000, 6_000);
  }
  return faults;
}
