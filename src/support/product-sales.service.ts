import { Injectable } from '@nestjs/common';
import { ProductSalesRepository, type DayRow, type SoldRow } from './product-sales.repository.js';

/** The statement reads all items of the day, which takes long. So all lists of products share one result for this time. */
const CACHE_MS = 30_000;

interface DayOfSales extends Omit<DayRow, 'day'> {
  /** Such as `2026-11-22`. */
  day: string;
}

type Today = Map<string, SoldRow>;

/** Units sold outside the sandbox, by the day of the order. */
@Injectable()
export class ProductSalesService {
  private readonly cached = new Map<string, { at: number; sales: Promise<Today> }>();

  constructor(private readonly sales: ProductSalesRepository) {}

  /** Returns today's sales by SKU, up to half a minute old. */
  today(zone: string): Promise<Today> {
    const now = Date.now();
    const known = this.cached.get(zone);
    if (known && now - known.at < CACHE_MS) return known.sales;
    const sales = this.sales.listToday(zone).then((rows) => new Map(rows.map((row) => [row.sku, row])));
    this.cached.set(zone, { at: now, sales });
    sales.catch(() => this.cached.delete(zone));
    return sales;
  }

  /** Returns each of the last `days` days up to today, including days without a sale. */
  async byDay(sku: string, zone: string, days: number): Promise<DayOfSales[]> {
    const [names, rows] = await Promise.all([this.sales.listNames(zone, days), this.sales.listDays(sku, zone, days)]);
    const rowOf = new Map(rows.map((row) => [row.day, row]));
    return names.map((day, number) => {
      const { sold = 0, failed = 0, revenue = 0n } = rowOf.get(number) ?? {};
      return { day, sold, failed, revenue };
    });
  }
}
