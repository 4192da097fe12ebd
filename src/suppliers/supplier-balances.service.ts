import { Injectable } from '@nestjs/common';
import type { Unavailable } from './supplier-adapter.js';
import type { Supplier } from './supplier.entity.js';
import { SupplierPauses } from './supplier-pauses.js';
import { SuppliersService } from './suppliers.service.js';

/** A supplier that was asked for our balance. */
export interface AskedSupplier {
  /** With the balance that it told, or else the last one that it told before. */
  supplier: Supplier;
  /** Why it told none now; null where it did. */
  problem: Unavailable | null;
}

/** What we have left at suppliers. */
@Injectable()
export class SupplierBalancesService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly pauses: SupplierPauses,
  ) {}

  /** Asks suppliers now, beside each other, and keeps what they tell. */
  ask(suppliers: Supplier[]): Promise<AskedSupplier[]> {
    return Promise.all(suppliers.map((supplier) => this.askOne(supplier)));
  }

  private async askOne(supplier: Supplier): Promise<AskedSupplier> {
    const { answer } = await this.pauses.probe(supplier);
    if (!answer.known) return { supplier, problem: answer };
    return { supplier: await this.suppliers.getByCode(supplier.code), problem: null };
  }
}
