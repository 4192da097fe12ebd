import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { Database } from '../database/database.js';
import { PULL_BACK_WRITTEN } from './written-ahead.sql.js';

/** Corrects times that the database wrote while its clock was ahead. */
@Injectable()
export class WrittenAheadRepository {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Brings each time down to the latest that its rule allows. @returns how many rows it changed. */
  async pullBack(): Promise<number> {
    const { SUPPLIER_BALANCE_INTERVAL_MS: balance, SUPPLIER_PURCHASES_INTERVAL_MS: purchases } = this.config;
    const intervals = { balanceMs: BigInt(balance), purchasesMs: BigInt(purchases) };
    let rows = 0;
    for (const pullBack of PULL_BACK_WRITTEN) rows += (await this.database.query(...pullBack.with(intervals))).length;
    return rows;
  }
}
