import { lazyPart } from '../../kit/lazy-part';
import { Loading } from '../../kit/states';

// Operators rarely open these parts, so the browser loads them on demand.
export const Catalogue = lazyPart(async () => (await import('./catalogue')).Catalogue, <Loading />);
export const RemoveSupplier = lazyPart(async () => (await import('./remove-supplier')).RemoveSupplier);
export const SupplierLog = lazyPart(async () => (await import('./supplier-log')).SupplierLog, <Loading />);
export const SupplierOffers = lazyPart(async () => (await import('./supplier-offers')).SupplierOffers, <Loading />);
export const SupplierSettings = lazyPart(async () => (await import('./settings')).SupplierSettings);
