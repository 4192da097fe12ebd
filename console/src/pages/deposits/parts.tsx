import { lazy } from 'react';

// Operators rarely open these parts, so the browser loads them on demand.
export const ChannelSettings = lazy(async () => ({ default: (await import('./channel-settings')).ChannelSettings }));
export const SyncChannel = lazy(async () => ({ default: (await import('./sync-channel')).SyncChannel }));
export const ImportStatement = lazy(async () => ({ default: (await import('./import-statement')).ImportStatement }));
