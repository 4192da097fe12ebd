import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { outcomeDetail, type SupplierOutcome } from '../suppliers/supplier-outcome.js';

/** By what log lines name an attempt. */
export interface LoggedAttempt {
  request_id: string | null;
  order_number: string;
  reference: string;
  /** The supplier's code. */
  supplier: string;
}

/** What log lines say of an attempt. */
export const aboutAttempt = ({ request_id, order_number, reference, supplier }: LoggedAttempt): object => ({
  requestId: request_id ?? undefined,
  orderNumber: order_number,
  reference,
  supplier,
});

/** Logs and counts what suppliers' words come to, in whatever process they reach us. */
@Injectable()
export class AttemptLogService {
  constructor(
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A supplier's word is against how a unit was settled: a case for the operator. */
  contradicted(attempt: LoggedAttempt, outcome: SupplierOutcome): void {
    this.metrics.supplierContradicted(attempt.supplier);
    this.logger.error(
      { ...aboutAttempt(attempt), outcome: outcome.kind, detail: outcomeDetail(outcome) },
      'a supplier contradicts how a unit was settled: see topup reversal list',
    );
  }
}
