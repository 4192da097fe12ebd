import type { Viewer } from '../orders/players.js';

/** Where a webhook goes, without the query, which may have a secret in it, for those who only look at deliveries. */
export function shownAddress(url: string, viewer: Viewer): string {
  const start = url.indexOf('?');
  return start < 0 || viewer.may('webhooks.replay') ? url : `${url.slice(0, start)}?…`;
}
