import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The `sign` of a request: lower-case hex of MD5, as the vendor wants it.
 * @param subject the `ref_id` of a transaction, else the word that the vendor gives to the call: `depo` or `pricelist`.
 */
export const requestSign = ({ username, key }: { username: string; key: string }, subject: string): string =>
  createHash('md5').update(username).update(key).update(subject).digest('hex');

/**
 * Whether a callback was signed with the secret of the webhook: HMAC-SHA1 of its bytes, as they came in. Takes equally
 * long wherever a wrong signature differs.
 * @param header `X-Hub-Signature`, where it came.
 */
export function isSignedWith(secret: string, body: Buffer, header: string | undefined): boolean {
  const signature = `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
  const given = Buffer.from(header ?? '');
  return given.length === signature.length && timingSafeEqual(given, Buffer.from(signature));
}
