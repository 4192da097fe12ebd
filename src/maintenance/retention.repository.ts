import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/database.js';
import { LOOK, REMOVE, type Look } from './retention.sql.js';

export type { Look } from './retention.sql.js';

/** The ids between two, neither of them included. */
export interface Stretch {
  after: bigint;
  before: bigint;
}

/** Events with their deliveries and attempts, as they grow old. */
@Injectable()
export class RetentionRepository {
  /**
   * Looks at the next events of a stretch of ids, and locks those that are older than so many days.
   */
  async look(
    tx: Transaction,
    days: number,
    { after, before }: Stretch,
    limit: number,
  ): Promise<Look | undefined> {
    const [look] = await tx.query<Look>(LOOK, [days, after, before, limit]);
    return look;
  }

  /** Removes what was found so. */
  remove(tx: Transaction, { removable }: Look): void {
    if (removable.length > 0) tx.write(REMOVE, [removable]);
  }
}
