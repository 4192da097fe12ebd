import { createHmac } from 'node:crypto';

/** Names and values, with repetitions. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** D: the signature of all parameters but itself, in lower-case hex. C: the signed text is form-encoded. */
export function signatureOf(pairs: Pairs, secretKey: string): string {
  const text = sorted(pairs)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  return hmac(text, secretKey);
}

/** The same over the parameters as received, without decoding. */
export function signatureAsReceived(raw: Pairs, secretKey: string): string {
  const text = sorted(raw)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return hmac(text, secretKey);
}

function sorted(pairs: Pairs): Pairs {
  const signed = pairs.filter(([name]) => name !== 'signature');
  return signed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A space becomes a plus; only letters, digits, `-`, `_` and `.` are not escaped. */
function encoded(text: string): string {
  const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, escape)
    .replaceAll('%20', '+');
}

function hmac(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
