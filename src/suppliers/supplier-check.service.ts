import { Injectable } from '@nestjs/common';
import type { CatalogueProbe, SupplierBalance } from './supplier-adapter.js';
import { SupplierRegistry, type SupplierConnection } from './supplier-registry.js';
import type { Supplier } from './supplier.entity.js';

/** What came of one check of a supplier. */
export type SupplierCheck =
  | { name: 'settings'; problem: string | null }
  | { name: 'balance'; answer: SupplierBalance }
  | { name: 'catalogue'; answer: CatalogueProbe };

/** Whether a supplier can be reached with its settings, found out without buying anything. */
@Injectable()
export class SupplierCheckService {
  constructor(private readonly registry: SupplierRegistry) {}

  async check(supplier: Supplier): Promise<SupplierCheck[]> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return [{ name: 'settings', problem: connection.detail }];
    return [{ name: 'settings', problem: null }, ...(await checkConnection(connection))];
  }
}

/** One after the other: some vendors refuse calls beside each other. */
export async function checkConnection({ adapter, settings }: SupplierConnection): Promise<SupplierCheck[]> {
  const balance: SupplierCheck = { name: 'balance', answer: await adapter.balance(settings) };
  if (!adapter.probeCatalogue) return [balance];
  return [balance, { name: 'catalogue', answer: await adapter.probeCatalogue(settings) }];
}
