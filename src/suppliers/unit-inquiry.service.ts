import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { UnitFailureCode } from '../core/failures.js';
import { destinationOf } from './supplier-account.js';
import type { NamedAttempt } from './supplier-adapter.js';
import { inquiryAbout } from './supplier-adapter.js';
import { outcomeDetail, type SupplierOutcome } from './supplier-outcome.js';
import { SupplierPausesService } from './supplier-pauses.service.js';
import { SupplierRegistry } from './supplier-registry.js';
import { SuppliersService } from './suppliers.service.js';

/** A supplier's current result for an attempt. */
interface CurrentResult {
  outcome: SupplierOutcome['kind'];
  detail: string | null;
  /** Why it failed, if it did. */
  failure_code: UnitFailureCode | null;
}

/** The supplier's new address, or our new account there, may not know a purchase that was made at the old one. */
const ELSEWHERE =
  'the unit was sent to the supplier’s earlier address or account: look it up at the supplier’s own site';

/** Queries a supplier about one attempt, without changing anything. */
@Injectable()
export class UnitInquiryService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly registry: SupplierRegistry,
    private readonly pauses: SupplierPausesService,
  ) {}

  /**
   * @param code the supplier's code.
   * @param sentTo the supplier's address and our account there when the attempt was last sent; null if unknown.
   * @throws NOT_FOUND; BAD_REQUEST for wrong settings; CONFLICT if no query is possible or it may buy, or while the supplier is
   * paused for a ban or our credentials: the query could prolong a ban.
   */
  async inquire(code: string, attempt: NamedAttempt, sentTo: string | null): Promise<CurrentResult> {
    const supplier = await this.suppliers.getByCode(code);
    const { bar } = await this.pauses.findBar(supplier);
    if (bar) throw new AppError('CONFLICT', `${code}: ${bar.detail}`);
    const { adapter, settings } = this.registry.connect(supplier);
    const inquiry = inquiryAbout(adapter, attempt.supplierReference !== null);
    if (!inquiry) throw new AppError('CONFLICT', `${code} can't be queried about purchases`);
    if (inquiry.mayBuy) throw new AppError('CONFLICT', `a query at ${code} may buy: look at the supplier's own pages`);
    const outcome = await inquiry.query(settings, attempt);
    if (outcome.kind !== 'succeeded' && sentTo !== null && sentTo !== destinationOf(supplier))
      return { outcome: 'unknown', detail: ELSEWHERE, failure_code: null };
    const failureCode = outcome.kind === 'failed' ? outcome.code : null;
    return { outcome: outcome.kind, detail: outcomeDetail(outcome), failure_code: failureCode };
  }
}
