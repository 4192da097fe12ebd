import { sameText } from '../common/http.js';
import type { Environment } from './model.js';
import { type DigiflazzCall, textOf } from './requests.js';
import { requestSign } from './signatures.js';
import type { Store } from './store.js';

/** The code by which the vendor refuses the caller, or null. `keys` names the keys that may have signed. */
export function refusedAtGate(
  store: Store,
  call: DigiflazzCall,
  suffix: string,
  keys: readonly Environment[],
): string | null {
  const { username, keys: ours, allow_list } = store.account;
  if (!sameText(textOf(call.fields, 'username') ?? '', username)) return '42';

  const sign = textOf(call.fields, 'sign') ?? '';
  const [signedWith] = keys.filter((key) => sameText(sign, requestSign(username, ours[key], suffix)));
  if (signedWith === undefined) return '41';
  return allow_list[signedWith].includes(call.remoteAddress) ? null : '45';
}
