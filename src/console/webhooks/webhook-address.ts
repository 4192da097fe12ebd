import type { Viewer } from '../orders/players.js';

/** The address of a webhook. Its query may hold a secret, so viewers who may not replay deliveries see no query. */
export function shownAddress(url: string, viewer: Viewer): string {
  const start = url.indexOf('?');
  return start < 0 || viewer.may('webhooks.replay') ? url : `${url.slice(0, start)}?…`;
}
