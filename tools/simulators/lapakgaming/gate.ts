import { sameText } from '../common/http.js';
import type { Call, LapakCall, LapakReply } from './model.js';
import { refused } from './replies.js';
import type { LapakStore } from './store.js';

const WINDOW_MS = 10_000;
const TOO_MANY = 'too many';

/** The refusal of a call before the vendor reads it: too many calls (HTTP 429), a wrong key or address (401); or null. */
export function refusedAtGate(store: LapakStore, call: LapakCall): LapakReply | null {
  if (isTooMany(store, call)) return tooMany(store);
  const { secret_key, allow_list } = store.account;
  const isKnown = call.bearer !== null && sameText(call.bearer, secret_key);
  return isKnown && allow_list.includes(call.remoteAddress) ? null : refused(store, 'UNAUTHORIZED');
}

function tooMany(store: LapakStore): LapakReply {
  const isPage = store.readings.too_many_requests_body === 'html';
  const code = 'TOO_MANY_REQUESTS';
  return { http: 429, code, data: null, decision: TOO_MANY, about: { code: null }, isPage };
}

/** D: counted by source address. I: over the last 10 seconds, without the calls that were too many. */
function isTooMany(store: LapakStore, call: LapakCall): boolean {
  const { product_limit_covers, product_requests_per_10_seconds, requests_per_10_seconds } = store.readings;
  const listing: readonly (Call | null)[] =
    product_limit_covers === 'product' ? ['product'] : ['product', 'all-products'];
  const since = store.now() - WINDOW_MS;
  let all = 0;
  let listings = 0;
  // The present call is in the journal already.
  for (let n = store.entries.size; n > 0; n -= 1) {
    const entry = store.entries.get(n);
    if (entry === undefined || Date.parse(entry.at) <= since) break;
    if (entry.remote_address !== call.remoteAddress || entry.decision === TOO_MANY) continue;
    all += 1;
    if (listing.includes(entry.call as Call | null)) listings += 1;
  }
  if (all > requests_per_10_seconds) return true;
  return listing.includes(call.call) && listings > product_requests_per_10_seconds;
}
