import { sameText } from '../common/http.js';
import type { Reply } from './model.js';
import { refused } from './replies.js';
import type { SeagmCall } from './requests.js';
import { signatureAsReceived, signatureOf } from './signatures.js';
import type { Store } from './store.js';

const TOO_MANY = 429;
const BANNED = 418;

/** The answer by which the vendor refuses the caller, or null. `ruled` is the code that a rule wants. */
export function refusedAtGate(store: Store, call: SeagmCall, ruled: number | undefined): Reply | null {
  if (store.now() < store.ban.until_ms) return refused(store, BANNED);
  if (ruled === TOO_MANY || store.hasTooManyCalls(store.readings.calls_per_minute)) return tooMany(store);
  const { account, readings } = store;
  const { signature = '', timestamp = '', uid = '' } = call.fields;
  if (!sameText(uid, account.uid)) return refused(store, 401);
  const offSeconds = Math.abs(Number(timestamp) - Math.floor(store.now() / 1_000));
  const isTime = /^\d+$/.test(timestamp) && offSeconds <= readings.clock_tolerance_seconds;
  if (!isTime) return refused(store, Number(readings.clock_error));
  const expected =
    readings.signed_text === 'form_encoded'
      ? signatureOf(call.pairs, account.secret_key)
      : signatureAsReceived(call.raw, account.secret_key);
  return sameText(signature.toLowerCase(), expected) ? null : refused(store, Number(readings.signature_error));
}

/** D: repeated 429 lead to a ban. */
function tooMany(store: Store): Reply {
  const { ban, readings } = store;
  const strikes = ban.strikes + 1;
  const isBan = readings.ban_after > 0 && strikes >= readings.ban_after;
  const until_ms = store.now() + readings.ban_seconds * 1_000 * 2 ** ban.bans;
  store.commit({ ban: isBan ? { strikes: 0, bans: ban.bans + 1, until_ms } : { ...ban, strikes } });
  return refused(store, TOO_MANY);
}
