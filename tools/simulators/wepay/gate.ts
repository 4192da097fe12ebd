import { createHash } from 'node:crypto';
import { sameText } from '../common/http.js';
import type { WepayCall } from './requests.js';
import type { Store } from './store.js';

/** The code by which the vendor refuses the caller, or null. */
export function refusedAtGate(store: Store, call: WepayCall): string | null {
  const { account, readings } = store;
  const { username = '', password, password_hash } = call.fields;
  if (username === '') return '20001';
  if (!password && !password_hash) return '20003';
  if (!sameText(username, account.username)) return '20004';
  const isRight =
    (password !== undefined && sameText(password, account.password)) ||
    (password_hash !== undefined && sameText(password_hash.toLowerCase(), md5(account.password)));
  if (!isRight) return readings.wrong_password;
  if (!account.allow_list.includes(call.remoteAddress)) return '20005';
  return store.hasTooManyCalls(readings.calls_per_minute) ? '10003' : null;
}

/** The `password_hash` of a password. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
