import { createHmac, timingSafeEqual } from 'node:crypto';

/** Parameters of a request or a callback, by name. */
export type Parameters = Record<string, string>;

/** The text to sign: all parameters, sorted by name and form-encoded, with `+` for a space. */
export function signedText(parameters: Parameters): string {
  const sorted = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  // The supplier's own clients also encode `*`, which URLSearchParams does not.
  return new URLSearchParams(sorted).toString().replaceAll('*', '%2A');
}

/** Lower-case hex of HMAC-SHA256 over {@link signedText}, with our secret key. */
export const signatureOf = (secretKey: string, parameters: Parameters): string =>
  createHmac('sha256', secretKey).update(signedText(parameters)).digest('hex');

/** Whether parameters were signed with our key. The signature may be in either case. Compares in constant time. */
export function isSignedWith(secretKey: string, { signature = '', ...signed }: Parameters): boolean {
  const expected = Buffer.from(signatureOf(secretKey, signed));
  const sent = Buffer.from(signature.toLowerCase());
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
