import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, toPage, type Page } from '../core/pagination.js';
import { recordAction, type Actor, type AuditRecord } from '../audit-log/audit-log.js';
import { Database } from '../database/database.js';
import { unitName, type UnitKey } from '../orders/order.rows.js';
import { ReviewRepository, type ReviewPlace, type ReviewRow } from './review.repository.js';

interface ReviewRequest {
  supplierIds?: number[] | undefined;
  states?: ReviewRow['state'][] | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** A unit to claim, and its merchant. */
export type Claim = UnitKey & { merchantId: number };

const recordOf = ({ orderId, merchantId, ...unit }: Claim): Omit<AuditRecord, 'action'> => ({
  orderId,
  merchantId,
  detail: { unit: unitName(unit) },
});

/** The queue of units that wait for an operator, and the operators' claims of them. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly review: ReviewRepository,
  ) {}

  /** Units in review, then units in doubt, the oldest orders first. @throws BAD_REQUEST for an invalid cursor. */
  async page({ supplierIds, states = ['review', 'unknown'], cursor, limit }: ReviewRequest): Promise<Page<ReviewRow>> {
    const filter = { supplierIds: supplierIds ?? null, states, limit: limit + 1 };
    const rows = await this.review.list(filter, readPlace(cursor));
    return toPage(rows, limit, cursorOf, (row) => row);
  }

  /** Claims the unit for ten minutes from now. @throws CONFLICT while another operator's claim of the unit is valid. */
  claim(claim: Claim, operatorId: number, by: Actor): Promise<Date> {
    return this.database.transaction(async (tx) => {
      const until = await this.review.claim(tx, claim, operatorId);
      if (!until) throw new AppError('CONFLICT', 'another operator has claimed this unit');
      recordAction(tx, by, { action: 'review.claim', ...recordOf(claim) });
      return until;
    });
  }

  /** Ends the operator's claim. Does nothing if the operator has no claim of the unit. */
  async release(claim: Claim, operatorId: number, by: Actor): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await this.review.release(tx, claim, operatorId))
        recordAction(tx, by, { action: 'review.release', ...recordOf(claim) });
    });
  }
}

const RANK = { review: 1, unknown: 2 };
const MAX_SMALLINT = 32_767n;

const cursorOf = ({ state, order_id, item, unit }: ReviewRow): string =>
  encodeCursor(RANK[state], order_id, item, unit);

function readPlace(cursor: string | undefined): ReviewPlace {
  const parts = decodeCursor(cursor, [2n, MAX_BIGINT, MAX_SMALLINT, MAX_SMALLINT]) ?? [0n, 0n, 0n, 0n];
  const [rank = 0n, orderId = 0n, item = 0n, unit = 0n] = parts;
  return { rank: Number(rank), orderId, item: Number(item), unit: Number(unit) };
}
