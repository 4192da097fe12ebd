import type { SupplierProduct as Listed, Unavailable } from '../suppliers/supplier-adapter.js';
import type { SupplierProduct } from '../suppliers/supplier-product.entity.js';

/** Why a reading of a catalogue changed nothing. */
export type Refusal =
  /** The last reading was at `readAt`. The gap after it ends at `nextAt`. `isGapOurs`: whether we chose the gap, not the supplier. */
  | { kind: 'too_soon'; readAt: Date; nextAt: Date; isGapOurs: boolean }
  /** The supplier returned no catalogue. */
  | { kind: 'unavailable'; problem: Unavailable }
  | { kind: 'empty' }
  /** The catalogue lists the SKU at two prices, or with a price and without. */
  | { kind: 'contradiction'; sku: string }
  /** Far fewer SKUs are listed, or on sale, than after the previous reading. */
  | { kind: 'shrunk'; what: 'listed' | 'sold'; before: number; now: number }
  /** During this reading, another one began, or an operator changed the supplier's adapter, address or account. */
  | { kind: 'overtaken' };

type Shrunk = Extract<Refusal, { kind: 'shrunk' }>;

/** The refusals that an operator may overrule. `too_soon` only if we chose the gap. */
export const OVERRULABLE = ['too_soon', 'shrunk'] as const;
export type Overrulable = (typeof OVERRULABLE)[number];

type Times = 'cost_at' | 'first_seen_at' | 'last_seen_at' | 'gone_at';

/** A row of the catalogue, without its times. */
export type CatalogueItem = Omit<SupplierProduct, 'supplier_id' | Times> & {
  /** Whether the item is new or listed again, or anything but its stock has changed. Stock counts if it becomes 0 or leaves 0. */
  is_changed: boolean;
  /** Whether the reading has a price of the item. If not, the item keeps its last price, and the cost of its offers grows old. */
  is_cost_read: boolean;
};

/** The changes that a reading brings. */
export interface CatalogueDifference {
  /** The items that the catalogue lists now. */
  items: CatalogueItem[];
  /** SKUs that the catalogue no longer lists. */
  gone: string[];
  added: number;
  priceChanged: number;
  availabilityChanged: number;
}

/** When a reading, of the SKU alone or of the whole catalogue, last found the SKU, or first missed it. */
export const lastReadAt = ({ last_seen_at, gone_at }: SupplierProduct): Date => gone_at ?? last_seen_at;

/** If a catalogue shrinks by more, the supplier's answer was most likely cut short. */
const MAX_SHRINKAGE_PERCENT = 30;

/**
 * The reason why a reading is implausible; null if it is plausible. No option makes an empty or contradictory reading plausible.
 * @param before the stored catalogue, including products that are no longer listed.
 * @param fewest the smallest number of SKUs for which a shrunken catalogue is accepted: 0 for any, Infinity for none.
 */
export function implausibility(
  listed: readonly Listed[],
  before: readonly SupplierProduct[],
  fewest: number,
): Refusal | null {
  if (listed.length === 0) return { kind: 'empty' };
  const items = new Map<string, Listed>();
  for (const product of listed) {
    const other = items.get(product.sku);
    if (other && !isSamePrice(other, product)) return { kind: 'contradiction', sku: product.sku };
    items.set(product.sku, product);
  }
  const shrunk = [
    ...shrinkage('listed', before.filter(isListed).length, items.size),
    ...shrinkage('sold', before.filter(({ sellable }) => sellable).length, [...items.values()].filter(isOnSale).length),
  ];
  // The smaller number comes first: an operator who accepts it has seen the worse of both.
  return shrunk.filter(({ now }) => now < fewest).toSorted((one, other) => one.now - other.now)[0] ?? null;
}

/** Compares a reading with the stored catalogue. If a SKU is listed twice, the last entry counts. */
export function difference(listed: readonly Listed[], before: readonly SupplierProduct[]): CatalogueDifference {
  const known = new Map(before.map((row) => [row.sku, row]));
  const items = new Map(listed.map((product) => [product.sku, toItem(product, known.get(product.sku))]));
  const pairs = [...items.values()].map((item) => ({ item, row: known.get(item.sku) }));
  const stayed = pairs.flatMap(({ item, row }) => (row && isListed(row) ? [{ item, row }] : []));
  return {
    items: [...items.values()],
    gone: before.filter((row) => isListed(row) && !items.has(row.sku)).map(({ sku }) => sku),
    added: pairs.length - stayed.length,
    priceChanged: stayed.filter(({ item, row }) => !isSameCost(item, row)).length,
    availabilityChanged: stayed.filter(({ item, row }) => item.sellable !== row.sellable).length,
  };
}

const isListed = ({ gone_at }: SupplierProduct): boolean => gone_at === null;

const isOnSale = ({ sellable, stock }: Listed): boolean => sellable && stock !== 0;

function isSamePrice({ cost: one }: Listed, { cost: other }: Listed): boolean {
  return one?.micros === other?.micros && one?.currency === other?.currency;
}

type Cost = Pick<SupplierProduct, 'cost_micros' | 'cost_currency'>;

const isSameCost = (one: Cost, other: Cost): boolean =>
  one.cost_micros === other.cost_micros && one.cost_currency === other.cost_currency;

function shrinkage(what: Shrunk['what'], before: number, now: number): Shrunk[] {
  const isFar = now * 100 < before * (100 - MAX_SHRINKAGE_PERCENT);
  return isFar ? [{ kind: 'shrunk', what, before, now }] : [];
}

/** If a reading has no price of an item, the item keeps its last price. */
function toItem(product: Listed, before: SupplierProduct | undefined): CatalogueItem {
  const { sku, name, group, cost, stock, oncePerDay, cutOff, note } = product;
  const item = {
    sku,
    name,
    stock,
    note,
    // The reading of a single SKU may have no group.
    group_name: group || (before?.group_name ?? ''),
    cost_micros: cost?.micros ?? before?.cost_micros ?? null,
    cost_currency: cost?.currency ?? before?.cost_currency ?? null,
    sellable: isOnSale(product),
    once_per_day: oncePerDay,
    cut_off_from: cutOff?.from ?? null,
    cut_off_to: cutOff?.to ?? null,
    cut_off_zone: cutOff?.zone ?? null,
    player_pattern: product.playerPattern ?? null,
  };
  const known = before && isListed(before) ? shown(before) : null;
  const isChanged = known === null || WATCHED.some((name) => item[name] !== known[name]);
  return { ...item, is_changed: isChanged, is_cost_read: cost !== null };
}

const WATCHED = [
  ...(['name', 'group_name', 'cost_micros', 'cost_currency', 'sellable', 'once_per_day'] as const),
  ...(['cut_off_from', 'cut_off_to', 'cut_off_zone', 'note', 'player_pattern'] as const),
];

/** Cuts the seconds from times of the day: PostgreSQL writes them, and a reading has none. */
const shown = (row: SupplierProduct): SupplierProduct => ({
  ...row,
  cut_off_from: row.cut_off_from?.slice(0, 5) ?? null,
  cut_off_to: row.cut_off_to?.slice(0, 5) ?? null,
});
