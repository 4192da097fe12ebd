import { Injectable } from '@nestjs/common';
import { Metrics } from '../../core/metrics.js';
import { CallbackAddressesService } from '../../suppliers/callback-addresses.service.js';
import { CallbackGate } from '../../suppliers/callback-gate.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersRepository, type CallingSupplier } from '../../suppliers/suppliers.repository.js';

/** Identifies the supplier that calls its callback address, and limits its rate. */
@Injectable()
export class CallbackAdmissionService extends CallbackGate<CallingSupplier> {
  constructor(
    suppliers: SuppliersRepository,
    registry: SupplierRegistry,
    addresses: CallbackAddressesService,
    metrics: Metrics,
  ) {
    super({
      list: () => suppliers.listCalling(),
      tokenOf: (supplier) => (registry.find(supplier.adapter)?.callbacks ? addresses.tokenOf(supplier) : null),
      limited: (code) => metrics.supplierCalledBack(code, 'limited'),
    });
  }
}
