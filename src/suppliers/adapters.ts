import {
  capabilitiesOf,
  type AdapterDescription,
  type Capability,
  type DescribedAdapter,
} from './adapter-description.js';
import { DigiflazzSupplier } from './digiflazz/digiflazz-supplier.js';
import { HttpSupplier } from './http/http-supplier.js';
import { LapakgamingSupplier } from './lapakgaming/lapakgaming-supplier.js';
import { SeagmSupplier } from './seagm/seagm-supplier.js';
import type { SupplierAdapter } from './supplier-adapter.js';
import { AdapterHttp } from './adapter-http.js';
import { WepaySupplier } from './wepay/wepay-supplier.js';

interface AdapterClass {
  readonly description: AdapterDescription;
  new (http: AdapterHttp): SupplierAdapter;
}

/** An adapter that the service knows. */
export interface KnownAdapter {
  create: (http: AdapterHttp) => SupplierAdapter;
  description: DescribedAdapter;
}

export const toKnownAdapter = (Adapter: AdapterClass): KnownAdapter => ({
  create: (http) => new Adapter(http),
  description: { ...Adapter.description, capabilities: capabilitiesOf(new Adapter(new AdapterHttp())) },
});

/** Every adapter that operators may choose. The adapter of the built-in supplier is not among them. */
export const ADAPTERS: readonly KnownAdapter[] = [
  HttpSupplier,
  DigiflazzSupplier,
  WepaySupplier,
  LapakgamingSupplier,
  SeagmSupplier,
].map(toKnownAdapter);

export const ADAPTER_NAMES = ADAPTERS.map(({ description }) => description.adapter);

/** Undefined for the built-in supplier's adapter, and for one that only another version of the service knows. */
export const describeAdapter = (name: string): DescribedAdapter | undefined =>
  ADAPTERS.find(({ description }) => description.adapter === name)?.description;

/** The names of the adapters that have a capability. */
export const adaptersWith = (capability: Capability): string[] =>
  ADAPTERS.flatMap(({ description: { adapter, capabilities } }) =>
    capabilities.includes(capability) ? [adapter] : [],
  );
