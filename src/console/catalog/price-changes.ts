import { formatBaht, parseBaht, type Satang } from '../../core/money.js';
import type { PriceDifference } from '../../catalog/prices.service.js';
import type { ProductDifference } from '../../catalog/product-actions.js';
import type { Caller } from '../access/caller.js';
import type { PriceChangeDto, ProductChangeDto } from './import.dto.js';
import { toMemberChangeDto } from './product.mapper.js';

/** A price moves far if it moves by more than this percentage. */
const FAR_PERCENT = 20;

/** The current costs of products by SKU, without products of unknown cost. */
export type Costs = ReadonlyMap<string, Satang>;

/** Returns the move of a price in percent, cut to two decimals; null without a new price, or without an old price above 0. */
function movesBy(old: string | null, now: string | null): number | null {
  const before = old === null ? null : parseBaht(old);
  const after = now === null ? null : parseBaht(now);
  if (before === null || after === null || before === 0n) return null;
  return Number(((after - before) * 10_000n) / before) / 100;
}

/** The members of a change that sort and count it in a preview. */
export type PriceMove = Pick<PriceChangeDto, 'price_moves_percent' | 'below_cost'>;

export const movesFar = ({ price_moves_percent: percent }: PriceMove): boolean =>
  percent !== null && Math.abs(percent) > FAR_PERCENT;

/** Sorts the farthest moves first; prices that do not move keep their order. */
export const byMove = (one: PriceMove, other: PriceMove): number =>
  Math.abs(other.price_moves_percent ?? 0) - Math.abs(one.price_moves_percent ?? 0);

export function toProductChangeDto({ sku, change, changes }: ProductDifference, costs: Costs): ProductChangeDto {
  const price = changes.find(({ member }) => member === 'price');
  const [old, now] = [textOf(price?.old), textOf(price?.new)];
  return {
    sku,
    change,
    changes: changes.map(toMemberChangeDto),
    price_moves_percent: change === 'added' ? null : movesBy(old, now),
    below_cost: isBelow(now, costs.get(sku)),
  };
}

export function toPriceChangeDto(difference: PriceDifference, costs: Costs, caller: Caller): PriceChangeDto {
  const { sku, old, new: now } = difference;
  const cost = costs.get(sku);
  const seen = caller.may('costs.read') ? cost : undefined;
  const price = now === null ? null : parseBaht(now);
  return {
    ...difference,
    price_moves_percent: movesBy(old, now),
    cost_baht: seen === undefined ? null : formatBaht(seen),
    margin_baht: seen === undefined || price === null ? null : formatBaht(price - seen),
    below_cost: isBelow(now, cost),
  };
}

function isBelow(price: string | null, cost: Satang | undefined): boolean {
  const amount = price === null ? null : parseBaht(price);
  return amount !== null && cost !== undefined && amount < cost;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
