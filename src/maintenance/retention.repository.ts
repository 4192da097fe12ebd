import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/database.js';
import { LOOK, REMOVE, type Look } from './retention.sql.js';

export type { Look } from './retention.sql.js';

/** Events with their deliveries and attempts, as they grow old. */
@Injectable()
export class RetentionRepository {
  /**
   * Looks at the next events, and locks those that are older than so many days.
   * @param after the last event of the look before.
   */
  async look(tx: Transaction, days: number, after: bigint, limit: number): Promise<Look | undefined> {
    const [look] = await tx.query<Look>(LOOK, [days, after, limit]);
    return look;
  }

  /** Removes what was found so. */
  remove(tx: Transaction, { removable }: Look): void {
    if (removable.length > 0) tx.write(REMOVE, [removable]);
  }
}
