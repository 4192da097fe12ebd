import { Injectable } from '@nestjs/common';
import { AppError, UnknownResource } from '../core/errors.js';
import { groupBy } from '../core/groups.js';
import { addPercent, formatBaht, MAX_SATANG, type Percentage, type Satang } from '../core/money.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { MerchantsRepository } from '../merchants/merchants.repository.js';
import { PricesRepository } from './prices.repository.js';
import { assertExpected, type PriceDifference } from './prices.service.js';

/** A change of many prices by one percentage. */
export interface Adjustment {
  percent: Percentage;
  /** Which SKUs, with `*` for any text; all by default. */
  match?: string;
  /** Only these products, for list prices. */
  skus?: string[];
  /** Rounds list prices half up to a multiple of this many satang. If it is more than 1, only a price of 0 can become 0. */
  roundTo?: Satang;
  /** The merchant whose own prices change; by default list prices change. */
  merchantId?: number;
}

/** Raises and lowers prices by a percentage, rounded half up to satang. */
@Injectable()
export class PriceAdjustmentsService {
  constructor(
    private readonly database: Database,
    private readonly prices: PricesRepository,
    private readonly merchants: MerchantsRepository,
  ) {}

  /** The differences that {@link apply} would make. @throws NOT_FOUND or BAD_REQUEST as {@link apply} does. */
  compare(adjustment: Adjustment): Promise<PriceDifference[]> {
    return this.database.transaction(async (tx) => (await this.plan(tx, adjustment)).differences);
  }

  /**
   * @param expected the differences that the operator confirmed. If the present ones differ, nothing changes.
   * @returns the changes. A change of a list price brings a change for each merchant whose own price is capped by it.
   * @throws NOT_FOUND for the merchant; BAD_REQUEST if a price would be too large; CONFLICT.
   */
  apply(
    adjustment: Adjustment,
    { by, expected }: { by: Actor; expected?: PriceDifference[] },
  ): Promise<PriceDifference[]> {
    const { percent, match, merchantId, roundTo } = adjustment;
    return this.database.transaction(async (tx) => {
      const { differences, write } = await this.plan(tx, adjustment);
      assertExpected(expected, differences);
      if (differences.length === 0) return differences;
      write();
      const rounding = roundTo === undefined ? {} : { round_to: formatBaht(roundTo) };
      const detail = { percent: percent.text, ...rounding, match, changes: differences };
      recordAction(tx, by, { action: 'price.adjust', merchantId, detail });
      return differences;
    });
  }

  private async plan(tx: Transaction, adjustment: Adjustment): Promise<Plan> {
    const { percent, match = '*', merchantId } = adjustment;
    const pattern = match.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
    if (merchantId === undefined) return this.planList(tx, adjustment, pattern);
    if (!(await this.merchants.existing(tx, [merchantId])).has(merchantId)) {
      throw new UnknownResource('merchant', merchantId);
    }
    return this.planOwn(tx, percent, pattern, merchantId);
  }

  private async planList(tx: Transaction, { percent, skus, roundTo }: Adjustment, pattern: string): Promise<Plan> {
    const products = await this.prices.lockLike(tx, pattern, skus);
    const own = await this.prices.ownLike(tx, pattern);
    const changed = products
      .map((product) => ({ ...product, now: adjusted(product, percent, roundTo) }))
      .filter(({ price, now }) => price !== now);
    const ownOf = groupBy(own, ({ product_id: id }) => id);
    const differences = changed.flatMap(({ id, sku, price, now }) => [
      ...difference(null, sku, price, now),
      ...(ownOf.get(id) ?? []).flatMap((each) =>
        difference(each.merchant_id, sku, lower(each.price, price), lower(each.price, now)),
      ),
    ]);
    const write = (): void =>
      this.prices.setList(
        tx,
        changed.map(({ id, now }) => ({ id, price: now })),
      );
    return { differences, write };
  }

  private async planOwn(tx: Transaction, percent: Percentage, pattern: string, merchantId: number): Promise<Plan> {
    const own = await this.prices.lockOwnLike(tx, pattern, merchantId);
    const changed = own
      .map((row) => {
        const paid = lower(row.price, row.list_price);
        return { ...row, paid, now: lower(adjusted({ sku: row.sku, price: paid }, percent), row.list_price) };
      })
      .filter(({ paid, now }) => paid !== now);
    const differences = changed.flatMap((row) => difference(row.merchant_id, row.sku, row.paid, row.now));
    const write = (): void =>
      this.prices.setOwn(
        tx,
        changed.map(({ now, ...row }) => ({ ...row, price: now })),
      );
    return { differences, write };
  }
}

interface Plan {
  differences: PriceDifference[];
  write: () => void;
}

const lower = (a: Satang, b: Satang): Satang => (a < b ? a : b);

function adjusted({ sku, price }: { sku: string; price: Satang }, percent: Percentage, roundTo: Satang = 1n): Satang {
  const now = rounded(addPercent(price, percent), price === 0n ? 1n : roundTo);
  if (now <= MAX_SATANG) return now;
  throw new AppError('BAD_REQUEST', `the price of ${sku} would be more than ${formatBaht(MAX_SATANG)}`);
}

function rounded(price: Satang, step: Satang): Satang {
  const steps = (2n * price + step) / (2n * step);
  return steps === 0n && step > 1n ? step : steps * step;
}

const difference = (merchantId: number | null, sku: string, old: Satang, now: Satang): PriceDifference[] =>
  old === now ? [] : [{ merchant_id: merchantId, sku, old: formatBaht(old), new: formatBaht(now) }];
