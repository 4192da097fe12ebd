import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import {
  ASK_FOR_CHECK,
  END_CHECK,
  FIND_SOLD,
  TAKE_DUE_CHECK,
  type DueCheck,
  type SoldRequest,
} from './attempt-checks.sql.js';

export type { DueCheck, SoldRequest } from './attempt-checks.sql.js';

type AttemptKey = Pick<DueCheck, 'order_id' | 'item' | 'unit' | 'attempt'>;

/** Attempts that ended and are to be asked about once more. */
@Injectable()
export class AttemptChecksRepository {
  constructor(private readonly database: Database) {}

  /** Unless that is to be done already. @param delayMs after which it is done. */
  async ask({ order_id, item, unit, attempt }: AttemptKey, delayMs: number): Promise<void> {
    await this.database.query(...ASK_FOR_CHECK.with({ order_id, item, unit, attempt, delayMs }));
  }

  /** The same in a transaction. */
  askIn(tx: Transaction, { order_id, item, unit, attempt }: AttemptKey, delayMs: number): void {
    tx.write(...ASK_FOR_CHECK.with({ order_id, item, unit, attempt, delayMs }));
  }

  /** @param retryMs after which it is due again, unless it ended. @returns null where none is due. */
  async takeDue(retryMs: number): Promise<DueCheck | null> {
    const [due] = await this.database.query<DueCheck>(...TAKE_DUE_CHECK.with({ retryMs }));
    return due ?? null;
  }

  /**
   * What an attempt asked for that its supplier has told to have sold; null where that is not certain, is longer ago, or was
   * at another account.
   */
  async findSold({ order_id, item, unit, attempt }: AttemptKey, maxAgeMs: number | null): Promise<SoldRequest | null> {
    const values = { order_id, item, unit, attempt, maxAgeMs: maxAgeMs === null ? null : BigInt(maxAgeMs) };
    const [sold] = await this.database.query<SoldRequest>(...FIND_SOLD.with(values));
    return sold ?? null;
  }

  async end({ order_id, item, unit, attempt }: AttemptKey): Promise<void> {
    await this.database.query(...END_CHECK.with({ order_id, item, unit, attempt }));
  }
}
