import type { Satang } from '../core/money.js';

/** The prices of one unit of a product for one merchant. `unitPrice` is never above `listPrice`. */
interface UnitPrices {
  listPrice: Satang;
  unitPrice: Satang;
}

export interface Amounts {
  subtotal: Satang;
  discount: Satang;
  total: Satang;
}

/** A line's amounts. The discount is the difference between the list price and the merchant's own price. */
export function lineAmounts({ listPrice, unitPrice }: UnitPrices, quantity: number): Amounts {
  const subtotal = listPrice * BigInt(quantity);
  const total = unitPrice * BigInt(quantity);
  return { subtotal, discount: subtotal - total, total };
}

export function sumAmounts(lines: Amounts[]): Amounts {
  return lines.reduce(
    (sum, line) => ({
      subtotal: sum.subtotal + line.subtotal,
      discount: sum.discount + line.discount,
      total: sum.total + line.total,
    }),
    { subtotal: 0n, discount: 0n, total: 0n },
  );
}
