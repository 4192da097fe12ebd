import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { outcomeDetail, type SupplierOutcome } from '../suppliers/supplier-outcome.js';

/** The members of an attempt that name it in log lines. */
interface LoggedAttempt {
  request_id: string | null;
  order_number: string;
  reference: string;
  /** The supplier's code. */
  supplier: string;
}

export const aboutAttempt = ({ request_id, order_number, reference, supplier }: LoggedAttempt): object => ({
  requestId: request_id ?? undefined,
  orderNumber: order_number,
  reference,
  supplier,
});

/** Logs and counts discrepancies, in API and worker. */
@Injectable()
export class AttemptLogService {
  constructor(
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A supplier's report opened or changed a discrepancy. */
  contradicted(attempt: LoggedAttempt, outcome: SupplierOutcome): void {
    this.metrics.supplierContradicted(attempt.supplier);
    this.logger.error(
      { ...aboutAttempt(attempt), outcome: outcome.kind, detail: outcomeDetail(outcome) },
      'a supplier’s report contradicts our books: see topup reversal list',
    );
  }

  /** A refusal sent a unit to review, because a supplier has reported that an earlier attempt bought it. */
  soldBefore(attempt: LoggedAttempt): void {
    const reason = 'a supplier has reported that an earlier attempt bought it';
    this.logger.error({ ...aboutAttempt(attempt), reason }, 'a unit needs review: see topup order list --review');
  }

  /** The service no longer queries a supplier that has not decided an ended attempt. */
  leftUndecided(attempt: LoggedAttempt): void {
    this.logger.warn(
      aboutAttempt(attempt),
      'a supplier has not reported the result of an ended attempt for 30 days, and is no longer queried: look for the attempt’s reference at the supplier',
    );
  }
}
