import { HttpSupplier } from './http/http-supplier.js';
import type { SupplierAdapter } from './supplier-adapter.js';
import type { SupplierHttp } from './supplier-http.js';

interface AdapterClass {
  /** Its name in the settings of suppliers. */
  readonly adapter: string;
  new (http: SupplierHttp): SupplierAdapter;
}

/** Every adapter there is. The database allows their names in this order: a new one comes with a migration. */
export const ADAPTERS: readonly AdapterClass[] = [HttpSupplier];

export const ADAPTER_NAMES = ADAPTERS.map(({ adapter }) => adapter);
