import { Injectable } from '@nestjs/common';
import { ProductSalesRepository, type DayRow, type SoldRow } from './product-sales.repository.js';

/** How old the figures of a list may be: all products of a day are counted at once. */
const KEPT_MS = 30_000;

export interface DayOfSales extends Omit<DayRow, 'day'> {
  /** Such as `2026-11-22`. */
  day: string;
}

type Today = Map<string, SoldRow>;

/** What was sold of products, by the day of the order. Orders of the sandbox are left out. */
@Injectable()
export class ProductSalesService {
  private readonly kept = new Map<string, { at: number; sales: Promise<Today> }>();

  constructor(private readonly sales: ProductSalesRepository) {}

  /** By SKU, of the day that it is in a zone; up to half a minute old. */
  today(zone: string): Promise<Today> {
    const now = Date.now();
    const known = this.kept.get(zone);
    if (known && now - known.at < KEPT_MS) return known.sales;
    const sales = this.sales.today(zone).then((rows) => new Map(rows.map((row) => [row.sku, row])));
    this.kept.set(zone, { at: now, sales });
    // What failed is asked anew.
    sales.catch(() => this.kept.delete(zone));
    return sales;
  }

  /** Of the last so many days, the last of them today, each also where nothing was sold. */
  async byDay(sku: string, zone: string, days: number): Promise<DayOfSales[]> {
    const [names, rows] = await Promise.all([this.sales.names(zone, days), this.sales.byDay(sku, zone, days)]);
    const rowOf = new Map(rows.map((row) => [row.day, row]));
    return names.map((day, number) => {
      const { sold = 0, failed = 0, revenue = 0n } = rowOf.get(number) ?? {};
      return { day, sold, failed, revenue };
    });
  }
}
