import type { AdapterDescription, Capability } from './adapter-description.js';
import { DigiflazzSupplier } from './digiflazz/digiflazz-supplier.js';
import { HttpSupplier } from './http/http-supplier.js';
import { LapakgamingSupplier } from './lapakgaming/lapakgaming-supplier.js';
import { SeagmSupplier } from './seagm/seagm-supplier.js';
import type { SupplierAdapter } from './supplier-adapter.js';
import type { SupplierHttp } from './supplier-http.js';
import { WepaySupplier } from './wepay/wepay-supplier.js';

interface AdapterClass {
  readonly description: AdapterDescription;
  new (http: SupplierHttp): SupplierAdapter;
}

/** Every adapter that a supplier may have; the supplier that is built in has one of its own. */
export const ADAPTERS: readonly AdapterClass[] = [
  HttpSupplier,
  DigiflazzSupplier,
  WepaySupplier,
  LapakgamingSupplier,
  SeagmSupplier,
];

export const ADAPTER_NAMES = ADAPTERS.map(({ description }) => description.adapter);

/** Undefined where only another version of the service knows the adapter. */
export const describeAdapter = (name: string): AdapterDescription | undefined =>
  ADAPTERS.find(({ description }) => description.adapter === name)?.description;

/** The names of those that can do something. */
export const adaptersWith = (capability: Capability): string[] =>
  ADAPTERS.flatMap(({ description: { adapter, capabilities } }) =>
    capabilities.includes(capability) ? [adapter] : [],
  );
