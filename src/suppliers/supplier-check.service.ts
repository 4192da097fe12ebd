import { Injectable } from '@nestjs/common';
import type { CatalogueProbe, SupplierBalance } from './supplier-adapter.js';
import { SupplierRegistry, type SupplierConnection } from './supplier-registry.js';
import type { Supplier } from './supplier.entity.js';

/** The result of one check of a supplier. */
export type SupplierCheck =
  | { name: 'settings'; problem: string | null }
  | { name: 'balance'; answer: SupplierBalance }
  | { name: 'catalogue'; answer: CatalogueProbe };

/** Checks whether the service can reach a supplier with its settings. Buys nothing. */
@Injectable()
export class SupplierCheckService {
  constructor(private readonly registry: SupplierRegistry) {}

  async check(supplier: Supplier): Promise<SupplierCheck[]> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return [{ name: 'settings', problem: connection.detail }];
    return [{ name: 'settings', problem: null }, ...(await checkConnection(connection))];
  }
}

/** Makes one call after the other, because some suppliers refuse simultaneous calls. Makes none after a ban, which it would prolong. */
export async function checkConnection({ adapter, settings }: SupplierConnection): Promise<SupplierCheck[]> {
  const answer = await adapter.balance(settings);
  const balance: SupplierCheck = { name: 'balance', answer };
  if (!adapter.catalogue || (!answer.known && answer.fault === 'ban')) return [balance];
  return [balance, { name: 'catalogue', answer: await adapter.catalogue.probe(settings) }];
}
