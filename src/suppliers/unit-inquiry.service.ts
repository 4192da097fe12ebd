import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { UnitFailureCode } from '../core/failures.js';
import type { NamedAttempt } from './supplier-adapter.js';
import { inquiryAbout } from './supplier-adapter.js';
import { outcomeDetail, type SupplierOutcome } from './supplier-outcome.js';
import { SupplierRegistry } from './supplier-registry.js';
import { SuppliersService } from './suppliers.service.js';

/** A supplier's current result for an attempt. */
interface CurrentResult {
  outcome: SupplierOutcome['kind'];
  detail: string | null;
  /** Why it failed, if it did. */
  failure_code: UnitFailureCode | null;
}

/** Queries a supplier about one attempt, without changing anything. */
@Injectable()
export class UnitInquiryService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly registry: SupplierRegistry,
  ) {}

  /**
   * @param supplier the supplier's code. @throws NOT_FOUND; BAD_REQUEST for wrong settings; CONFLICT if no query is possible
   * or it may buy.
   */
  async inquire(supplier: string, attempt: NamedAttempt): Promise<CurrentResult> {
    const { adapter, settings } = this.registry.connect(await this.suppliers.getByCode(supplier));
    const inquiry = inquiryAbout(adapter, attempt.supplierReference !== null);
    if (!inquiry) throw new AppError('CONFLICT', `${supplier} can't be queried about purchases`);
    if (inquiry.mayBuy)
      throw new AppError('CONFLICT', `a query at ${supplier} may buy: look at the supplier's own pages`);
    const outcome = await inquiry.query(settings, attempt);
    const code = outcome.kind === 'failed' ? outcome.code : null;
    return { outcome: outcome.kind, detail: outcomeDetail(outcome), failure_code: code };
  }
}
