import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { UnitKey } from '../orders/order.rows.js';
import { CLAIM_UNIT, FIND_STANDING, LIST_REVIEW, type ReviewRow, type StandingUnit } from './review.sql.js';
import { ReviewClaim } from './review-claim.entity.js';

export type { ReviewRow, StandingUnit } from './review.sql.js';

/** Behind which unit a page begins. */
export interface ReviewPlace {
  /** 1 of units in review, 2 of those in doubt; 0 before all. */
  rank: number;
  orderId: bigint;
  item: number;
  unit: number;
}

interface ReviewFilter {
  supplierId: number | null;
  states: ReviewRow['state'][];
  limit: number;
}

/** Which unit of which order. */
export interface AskedUnit extends Pick<StandingUnit, 'order_number' | 'item' | 'unit'> {
  /** Where it was when somebody chose it; null where that does not matter. */
  supplier: string | null;
}

const CLAIM_MINUTES = 10;

@Injectable()
export class ReviewRepository {
  constructor(private readonly database: Database) {}

  /** Units in review, then units in doubt, the oldest orders first. */
  list(filter: ReviewFilter, after: ReviewPlace): Promise<ReviewRow[]> {
    return this.database.query<ReviewRow>(...LIST_REVIEW.with({ ...filter, ...after }));
  }

  /** Those of the units that there are, in the order in which they are asked for. */
  standing(asked: readonly AskedUnit[]): Promise<StandingUnit[]> {
    return this.database.query<StandingUnit>(...FIND_STANDING.with({ asked }));
  }

  /** @returns until when; null while somebody else looks after the unit. */
  async claim(tx: Transaction, key: UnitKey, operatorId: number): Promise<Date | null> {
    const [claimed] = await tx.query<{ claimed_until: Date }>(
      ...CLAIM_UNIT.with({ ...key, operatorId, minutes: CLAIM_MINUTES }),
    );
    return claimed?.claimed_until ?? null;
  }

  /** @returns whether it was theirs. */
  async release({ manager }: Transaction, { orderId, item, unit }: UnitKey, operatorId: number): Promise<boolean> {
    const theirs = { order_id: orderId, item, unit, operator_id: operatorId };
    const { affected } = await manager.delete(ReviewClaim, theirs);
    return (affected ?? 0) > 0;
  }
}
