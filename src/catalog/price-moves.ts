import { parseBaht, type Satang } from '../core/money.js';

/** The change of a price in percent, cut to two decimals. Null without a new price, or without an old price above 0. */
export function movesBy(old: string | null, now: string | null): number | null {
  const before = old === null ? null : parseBaht(old);
  const after = now === null ? null : parseBaht(now);
  if (before === null || after === null || before === 0n) return null;
  return Number(((after - before) * 10_000n) / before) / 100;
}

/** A price moves far if it moves by more than this percentage. */
const FAR_PERCENT = 20;

export const isFar = (percent: number | null): boolean => percent !== null && Math.abs(percent) > FAR_PERCENT;

/** Whether a sale at this price loses money. False if the price or the cost is unknown. */
export function isBelow(price: string | null, cost: Satang | undefined): boolean {
  const amount = price === null ? null : parseBaht(price);
  return amount !== null && cost !== undefined && amount < cost;
}
