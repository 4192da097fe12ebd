import type { PriceDifference } from '../../catalog/prices.service.js';
import type { ProductDifference } from '../../catalog/product-actions.js';
import type { ImportPreview } from '../../catalog/product-imports.service.js';
import { formatBaht, parseBaht, type Satang } from '../../core/money.js';
import type { Caller } from '../access/caller.js';
import type { ImportedDto, PriceChangeDto, ProductChangeDto, ProductImportPreviewDto } from './import.dto.js';
import { textOf, toMemberChangeDto } from './product.mapper.js';

export const MAX_CHANGES = 2_000;

export const isAdded = ({ change }: { change: string }): boolean => change === 'added';

/** Whether the merchant had no own price before. */
export const isFirst = ({ old }: PriceDifference): boolean => old === null;

/** Counts the differences that add a product or a price, and all others. The others may also remove a price. */
export function counted<Difference>(differences: Difference[], adds: (difference: Difference) => boolean): ImportedDto {
  const added = differences.filter(adds).length;
  return { added, changed: differences.length - added };
}

export function toPreviewDto<Difference, Change extends PriceMove>(
  { version, differences, problems, lines }: ImportPreview<Difference>,
  adds: (difference: Difference) => boolean,
  toChange: (difference: Difference) => Change,
): Omit<ProductImportPreviewDto, 'changes'> & { changes: Change[] } {
  const changes = differences.map(toChange);
  return {
    version,
    ...counted(differences, adds),
    unchanged: lines - differences.length,
    problems,
    problem_count: problems.length,
    changes: changes.sort(byMove).slice(0, MAX_CHANGES),
    moved_far: changes.filter(({ price_moves_percent: percent }) => isFar(percent)).length,
    below_cost: changes.filter(({ below_cost: isBelow }) => isBelow).length,
  };
}

/** The current costs of products by SKU, without products of unknown cost. */
export type Costs = ReadonlyMap<string, Satang>;

/** The members of a change that sort and count it in a preview. */
type PriceMove = Pick<PriceChangeDto, 'price_moves_percent' | 'below_cost'>;

/** Sorts the largest percentages first. A change without a percentage counts as 0 percent. */
const byMove = (one: PriceMove, other: PriceMove): number =>
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

/** The change of a price in percent, cut to two decimals. Null without a new price, or without an old price above 0. */
function movesBy(old: string | null, now: string | null): number | null {
  const before = old === null ? null : parseBaht(old);
  const after = now === null ? null : parseBaht(now);
  if (before === null || after === null || before === 0n) return null;
  return Number(((after - before) * 10_000n) / before) / 100;
}

/** A price moves far if it moves by more than this percentage. */
const FAR_PERCENT = 20;

const isFar = (percent: number | null): boolean => percent !== null && Math.abs(percent) > FAR_PERCENT;

/** Whether a sale at this price loses money. False if the price or the cost is unknown. */
function isBelow(price: string | null, cost: Satang | undefined): boolean {
  const amount = price === null ? null : parseBaht(price);
  return amount !== null && cost !== undefined && amount < cost;
}
