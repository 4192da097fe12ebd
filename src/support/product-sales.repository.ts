import { Injectable } from '@nestjs/common';
import { ReplicaReadsService } from '../database/replica-reads.service.js';
import { NAMES_OF_DAYS, SOLD_BY_DAY, SOLD_TODAY, type DayRow, type SoldRow } from './product-sales.sql.js';

export type { DayRow, SoldRow } from './product-sales.sql.js';

@Injectable()
export class ProductSalesRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** Of every product that was ordered since the day began. */
  today(zone: string): Promise<SoldRow[]> {
    return this.reads.query<SoldRow>(...SOLD_TODAY.with({ zone }));
  }

  /** Days without any order at all may be missing. */
  byDay(sku: string, zone: string, days: number): Promise<DayRow[]> {
    return this.reads.query<DayRow>(...SOLD_BY_DAY.with({ sku, zone, days }));
  }

  /** The last so many days up to today, as `2026-11-22`. */
  async names(zone: string, days: number): Promise<string[]> {
    const rows = await this.reads.query<{ name: string }>(...NAMES_OF_DAYS.with({ zone, days }));
    return rows.map(({ name }) => name);
  }
}
