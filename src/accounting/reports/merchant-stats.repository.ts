import { Injectable } from '@nestjs/common';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { statement } from '../../database/parameters.js';

/** A merchant's orders of today, and the time of its last order, of any day. */
export interface MerchantToday {
  merchant_id: number;
  orders: number;
  failed: number;
  last_order_at: Date | null;
}

/** A merchant's orders of a day. */
export interface MerchantDay {
  /** Such as 2026-11-23. */
  day: string;
  orders: number;
  failed: number;
}

const today = (timezone: string): string => `date_trunc('day', statement_timestamp() AT TIME ZONE ${timezone})`;

/** Counts sorted rows, so that PostgreSQL chooses the index by merchant and time. */
const count = (merchantId: string, condition: string): string => `
  (SELECT count(*)::int FROM (
    SELECT FROM orders WHERE merchant_id = ${merchantId} AND ${condition} ORDER BY created_at DESC, id DESC) counted)`;

export const READ_TODAY = statement(
  'merchant_figures.today',
  { merchantIds: 'int[]', timezone: 'text' },
  ({ merchantIds, timezone }) => {
    const isOfToday = `created_at >= ${today(timezone)} AT TIME ZONE ${timezone}`;
    return `
      SELECT m.id AS merchant_id, ${count('m.id', isOfToday)} AS orders,
             ${count('m.id', `status = 'failed' AND ${isOfToday}`)} AS failed,
             (SELECT created_at FROM orders WHERE merchant_id = m.id ORDER BY created_at DESC, id DESC LIMIT 1)
               AS last_order_at
      FROM unnest(${merchantIds}) AS m(id)`;
  },
);

/** Days without orders have a row, too. */
export const READ_DAYS = statement(
  'merchant_figures.days',
  { merchantId: 'int', timezone: 'text', days: 'int' },
  ({ merchantId, timezone, days }) => {
    const isOfDay = `created_at >= d.day AT TIME ZONE ${timezone}
      AND created_at < (d.day + interval '1 day') AT TIME ZONE ${timezone}`;
    return `
      SELECT to_char(d.day, 'YYYY-MM-DD') AS day, ${count(merchantId, isOfDay)} AS orders,
             ${count(merchantId, `status = 'failed' AND ${isOfDay}`)} AS failed
      FROM generate_series(${today(timezone)} - (${days} - 1) * interval '1 day', ${today(timezone)}, '1 day') AS d(day)
      ORDER BY d.day`;
  },
);

/** Counts merchants' orders by day. */
@Injectable()
export class MerchantStatsRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** @returns counts by merchant. */
  async today(merchantIds: number[], timezone: string): Promise<Map<number, MerchantToday>> {
    const rows = await this.reads.query<MerchantToday>(...READ_TODAY.with({ merchantIds, timezone }));
    return new Map(rows.map((row) => [row.merchant_id, row]));
  }

  /** @returns the last `days` days, today included, oldest first. */
  days(merchantId: number, timezone: string, days: number): Promise<MerchantDay[]> {
    return this.reads.query<MerchantDay>(...READ_DAYS.with({ merchantId, timezone, days }));
  }
}
