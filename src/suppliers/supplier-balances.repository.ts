import { Injectable } from '@nestjs/common';
import type { CostMoney } from '../core/cost-money.js';
import { Database, type Transaction } from '../database/database.js';
import * as sql from './supplier-balances.sql.js';
import type { Supplier, SupplierBalanceReading } from './supplier.entity.js';

export type ReportedBalance = Pick<SupplierBalanceReading, 'told_at' | 'currency' | 'micros'>;

/** The balances that suppliers reported. */
@Injectable()
export class SupplierBalancesRepository {
  constructor(private readonly database: Database) {}

  /** Records a reported balance, unless the supplier's adapter, address or account changed during the call. */
  async record({ id, adapter, base_url: baseUrl, account }: Supplier, balance: CostMoney): Promise<void> {
    await this.database.query(...sql.RECORD_BALANCE.with({ id, adapter, baseUrl, account, ...balance }));
  }

  /** Deletes the balances of the account that the supplier had before. */
  async forget(tx: Transaction, { id }: Supplier): Promise<void> {
    await tx.query(...sql.FORGET_BALANCES.with({ id }));
  }

  /**
   * Claims the suppliers whose balance must be read now. No other process gets the same suppliers within the interval.
   * @param adapters the adapters that report balances.
   * @returns the codes of these suppliers.
   */
  async claimDue(adapters: string[], intervalMs: number): Promise<string[]> {
    const due = await this.database.query<{ code: string }>(
      ...sql.CLAIM_DUE_BALANCES.with({ adapters, intervalMs: BigInt(intervalMs) }),
    );
    return due.map(({ code }) => code);
  }

  /** At most `max` reported balances, evenly spaced, oldest first. The latest one is always among them. */
  listReported({ id }: Supplier, since: Date, max: number): Promise<ReportedBalance[]> {
    return this.database.query<ReportedBalance>(...sql.LIST_REPORTED.with({ id, since, max }));
  }

  /** For how many hours our balance at each supplier lasts at the pace of the last day; null or absent if unknown. */
  async listHoursLeft(): Promise<Map<string, number | null>> {
    const rows = await this.database.query<{ code: string; hours: number | null }>(sql.LIST_LASTING);
    return new Map(rows.map(({ code, hours }) => [code, hours]));
  }
}
