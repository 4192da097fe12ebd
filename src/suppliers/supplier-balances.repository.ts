import { Injectable } from '@nestjs/common';
import type { CostMoney } from '../core/cost-money.js';
import { Database, type Transaction } from '../database/database.js';
import * as sql from './supplier-balances.sql.js';
import type { SupplierBalanceReading } from './supplier-balance-reading.entity.js';
import type { Supplier } from './supplier.entity.js';

export type ReportedBalance = Pick<SupplierBalanceReading, 'told_at' | 'currency' | 'micros'>;

/** What suppliers told of our balances with them. */
@Injectable()
export class SupplierBalancesRepository {
  constructor(private readonly database: Database) {}

  /** Keeps what a supplier told, unless it was moved while it was asked. */
  async record({ id, adapter, base_url: baseUrl }: Supplier, balance: CostMoney): Promise<void> {
    await this.database.query(...sql.RECORD_BALANCE.with({ id, adapter, baseUrl, ...balance }));
  }

  /** What was told before is of another account. */
  async forget(tx: Transaction, { id }: Supplier): Promise<void> {
    await tx.query(...sql.FORGET_BALANCES.with({ id }));
  }

  /**
   * @param adapters those that tell balances.
   * @returns the codes of those that are due to be asked; no other process gets them within the interval.
   */
  async takeDue(adapters: string[], intervalMs: number): Promise<string[]> {
    const due = await this.database.query<{ code: string }>(
      ...sql.TAKE_DUE_BALANCES.with({ adapters, intervalMs: BigInt(intervalMs) }),
    );
    return due.map(({ code }) => code);
  }

  /** Every so many of them, so that there are at most `most`; the last one is always among them. */
  listReported({ id }: Supplier, since: Date, most: number): Promise<ReportedBalance[]> {
    return this.database.query<ReportedBalance>(...sql.LIST_TOLD.with({ id, since, most }));
  }

  /** For how many hours balances last at the pace of the last day, by supplier; null where that can't be told. */
  async findLasting(): Promise<Map<string, number | null>> {
    const rows = await this.database.query<{ code: string; hours: number | null }>(sql.FIND_LASTING);
    return new Map(rows.map(({ code, hours }) => [code, hours]));
  }
}
