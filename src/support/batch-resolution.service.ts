import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { LOGGER } from '../core/core.module.js';
import { AppError, notFound } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { unitName } from '../orders/order.rows.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { OrderResolutionService } from './order-resolution.service.js';
import { ReviewRepository, type AskedUnit, type StandingUnit } from './review.repository.js';

export type { AskedUnit } from './review.repository.js';

export interface BatchResolved {
  resolved: StandingUnit[];
  /** Those that this decision did not settle, as they stand now. */
  left: StandingUnit[];
}

/** One decision about several units in doubt: all of one order, or all of one supplier. */
@Injectable()
export class BatchResolutionService {
  constructor(
    private readonly review: ReviewRepository,
    private readonly resolution: OrderResolutionService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The units as they stand. @throws NOT_FOUND; BAD_REQUEST for a unit that is named twice, or for a mixture. */
  async standing(asked: readonly AskedUnit[]): Promise<StandingUnit[]> {
    if (new Set(asked.map(nameOf)).size < asked.length)
      throw new AppError('BAD_REQUEST', 'each unit can be named only once');
    const units = await this.review.standing(asked);
    if (units.length < asked.length) throw notFound('unit');
    const open = units.filter(isOpen);
    if (!isSame(open, 'supplier') && !isSame(open, 'order_number'))
      throw new AppError('BAD_REQUEST', 'the units must all be of one supplier, or of one order');
    return units;
  }

  /**
   * Settles each unit by itself, as {@link OrderResolutionService} does it, with an entry of its own in the log. What somebody else
   * has decided meanwhile stays as it is, and so does what nobody could decide about when it was looked at, and what has been
   * tried at another supplier since.
   * @param units as {@link standing} found them.
   * @throws BAD_REQUEST for a reason that can't be kept.
   */
  async resolve(
    units: readonly StandingUnit[],
    outcome: DefiniteOutcome,
    by: Actor,
    reason: string,
  ): Promise<BatchResolved> {
    const open = units.filter(isOpen);
    const done = await Promise.allSettled(
      open.map(({ order_id: id, merchant_id, item, unit, attempt: seenAttempt }) =>
        this.resolution.resolve({
          ...by,
          order: { id, merchant_id },
          item,
          unit,
          seenAttempt,
          outcome,
          reason,
        }),
      ),
    );
    const errors = done.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const refused = errors.find(isBadRequest);
    // It is the same for each of them: none was settled.
    if (refused) throw refused;
    for (const error of errors)
      if (!(error instanceof AppError)) this.logger.warn({ err: error }, 'a unit of a batch was not settled');
    const resolved = open.filter((_unit, index) => done[index]?.status === 'fulfilled');
    const left = units.filter((unit) => !resolved.includes(unit));
    return {
      resolved,
      left: left.length === 0 ? [] : await this.review.standing(left),
    };
  }
}

const isBadRequest = (error: unknown): error is AppError => error instanceof AppError && error.code === 'BAD_REQUEST';

/**
 * Whether an operator may decide about it: its supplier was asked to buy it, and what became of that is not known. What was
 * found out at one supplier says nothing of a unit that has moved to another.
 */
export const isOpen = ({ state, moved }: Pick<StandingUnit, 'state' | 'moved'>): boolean =>
  !moved && (state === 'unknown' || state === 'review');

const nameOf = (unit: Pick<AskedUnit, 'order_number' | 'item' | 'unit'>): string =>
  `${unit.order_number} ${unitName(unit)}`;

const isSame = (units: readonly StandingUnit[], member: 'supplier' | 'order_number'): boolean =>
  new Set(units.map((unit) => unit[member])).size < 2;
