import { createHmac, timingSafeEqual } from 'node:crypto';

/** Parameters of a request or a callback, by name. */
export type Parameters = Record<string, string>;

/** The text that is signed: all parameters sorted by name, form-encoded, so that a space is `+`. */
export function signedText(parameters: Parameters): string {
  const sorted = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  // The forms of the vendor's clients encode one more character than those of browsers do.
  return new URLSearchParams(sorted).toString().replaceAll('*', '%2A');
}

/** Lower-case hex of HMAC-SHA256 over {@link signedText}, with our secret key. */
export const signatureOf = (secretKey: string, parameters: Parameters): string =>
  createHmac('sha256', secretKey).update(signedText(parameters)).digest('hex');

/** Whether parameters were signed with our key, in either case of letters. Takes as long wherever a wrong one differs. */
export function isSignedWith(secretKey: string, { signature = '', ...signed }: Parameters): boolean {
  const expected = Buffer.from(signatureOf(secretKey, signed));
  const given = Buffer.from(signature.toLowerCase());
  return given.length === expected.length && timingSafeEqual(given, expected);
}
