import { lazy } from 'react';

// Operators rarely open these parts, so the browser loads them on demand.
export const Catalogue = lazy(async () => ({ default: (await import('./catalogue')).Catalogue }));
export const RemoveSupplier = lazy(async () => ({
  default: (await import('./remove-supplier')).RemoveSupplier,
}));
export const SupplierLog = lazy(async () => ({ default: (await import('./supplier-log')).SupplierLog }));
export const SupplierOffers = lazy(async () => ({
  default: (await import('./supplier-offers')).SupplierOffers,
}));
export const SupplierSettings = lazy(async () => ({
  default: (await import('./settings')).SupplierSettings,
}));
