import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import type { NamedAttempt } from '../../suppliers/supplier-adapter.js';
import { inquiryAbout } from '../../suppliers/supplier-adapter.js';
import { outcomeDetail, type SupplierOutcome } from '../../suppliers/supplier-outcome.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';

/** What a supplier says of an attempt at this moment. */
export interface SaidNow {
  outcome: SupplierOutcome['kind'];
  detail: string | null;
}

/** Asks a supplier about one attempt. It changes nothing, there and here. */
@Injectable()
export class UnitInquiryService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly registry: SupplierRegistry,
  ) {}

  /** @param supplier its code. @throws NOT_FOUND; BAD_REQUEST for its settings; CONFLICT where asking may buy, or it can't be asked. */
  async ask(supplier: string, attempt: NamedAttempt): Promise<SaidNow> {
    const { adapter, settings } = this.registry.connect(await this.suppliers.getByCode(supplier));
    const inquiry = inquiryAbout(adapter, attempt.supplierReference !== null);
    if (!inquiry) throw new AppError('CONFLICT', `${supplier} can't be asked about purchases`);
    if (inquiry.mayBuy)
      throw new AppError('CONFLICT', `${supplier} can be asked only in a way that may buy: look into its own pages`);
    const outcome = await inquiry.ask(settings, attempt);
    return { outcome: outcome.kind, detail: outcomeDetail(outcome) };
  }
}
