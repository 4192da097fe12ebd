import { Injectable } from '@nestjs/common';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { READ_DAYS, READ_TODAY, type MerchantDay, type MerchantToday } from './merchant-figures.sql.js';

export type { MerchantDay, MerchantToday } from './merchant-figures.sql.js';

/** How many orders merchants place. Days begin in a time zone. */
@Injectable()
export class MerchantStatsRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** By merchant. */
  async today(merchantIds: number[], timezone: string): Promise<Map<number, MerchantToday>> {
    const rows = await this.reads.query<MerchantToday>(...READ_TODAY.with({ merchantIds, timezone }));
    return new Map(rows.map((row) => [row.merchant_id, row]));
  }

  /** The last days and today, oldest first, those without orders too. */
  days(merchantId: number, timezone: string, days: number): Promise<MerchantDay[]> {
    return this.reads.query<MerchantDay>(...READ_DAYS.with({ merchantId, timezone, days }));
  }
}
