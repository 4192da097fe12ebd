import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { LOGGER } from '../core/core.module.js';
import { AppError, notFound } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { unitName } from '../orders/order.rows.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { OrderResolutionService } from './order-resolution.service.js';
import { ReviewRepository, type ChosenUnit, type UnitStatus } from './review.repository.js';

export type { ChosenUnit, UnitStatus } from './review.repository.js';

interface BatchResolved {
  resolved: UnitStatus[];
  /** Units that this decision did not settle, with their current state. */
  left: UnitStatus[];
}

/** Settles several units in doubt by one decision: all of one order, or all of one supplier. */
@Injectable()
export class BatchResolutionService {
  constructor(
    private readonly review: ReviewRepository,
    private readonly resolution: OrderResolutionService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns the units in the given order. All open units among them must be of one supplier or of one order.
   * @throws NOT_FOUND; BAD_REQUEST for a unit that is named twice, or for open units of several suppliers and several orders.
   */
  async listStatus(chosen: readonly ChosenUnit[]): Promise<UnitStatus[]> {
    if (new Set(chosen.map(nameOf)).size < chosen.length)
      throw new AppError('BAD_REQUEST', 'each unit can be named only once');
    const units = await this.review.listStatus(chosen);
    if (units.length < chosen.length) throw notFound('unit');
    const open = units.filter(isOpen);
    if (!isSame(open, 'supplier') && !isSame(open, 'order_number'))
      throw new AppError('BAD_REQUEST', 'the units must all be of one supplier, or of one order');
    return units;
  }

  /**
   * Settles each open unit by itself, with an entry of its own in the audit log. A unit stays as it is if {@link isOpen} excludes
   * the unit, another operator has settled it meanwhile, another attempt has begun, or the settlement fails.
   * @param units the result of {@link listStatus}.
   * @throws BAD_REQUEST for an invalid reason.
   */
  async resolve(
    units: readonly UnitStatus[],
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
    // All units have the same reason and outcome: if one is invalid, no unit was settled.
    if (refused) throw refused;
    for (const error of errors)
      if (!(error instanceof AppError)) this.logger.warn({ err: error }, 'a unit of a batch was not settled');
    const resolved = open.filter((_unit, index) => done[index]?.status === 'fulfilled');
    const left = units.filter((unit) => !resolved.includes(unit));
    return {
      resolved,
      left: left.length === 0 ? [] : await this.review.listStatus(left),
    };
  }
}

const isBadRequest = (error: unknown): error is AppError => error instanceof AppError && error.code === 'BAD_REQUEST';

/**
 * Whether an operator may decide about a unit: the unit is in doubt or in review, and no other attempt has begun since the operator
 * chose it. Facts about one attempt prove nothing about the next one.
 */
export const isOpen = ({ state, moved }: Pick<UnitStatus, 'state' | 'moved'>): boolean =>
  !moved && (state === 'unknown' || state === 'review');

const nameOf = (unit: Pick<ChosenUnit, 'order_number' | 'item' | 'unit'>): string =>
  `${unit.order_number} ${unitName(unit)}`;

const isSame = (units: readonly UnitStatus[], member: 'supplier' | 'order_number'): boolean =>
  new Set(units.map((unit) => unit[member])).size < 2;
