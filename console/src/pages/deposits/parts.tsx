import { lazyPart } from '../../kit/lazy-part';

// Operators rarely open these parts, so the browser loads them on demand.
export const ChannelSettings = lazyPart(async () => (await import('./channel-settings')).ChannelSettings);
export const SyncChannel = lazyPart(async () => (await import('./sync-channel')).SyncChannel);
export const ImportStatement = lazyPart(async () => (await import('./import-statement')).ImportStatement);
