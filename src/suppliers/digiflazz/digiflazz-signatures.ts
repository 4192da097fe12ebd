import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The `sign` of a request: MD5 in lower-case hex, as the supplier requires.
 * @param subject the `ref_id` of a transaction, or the supplier's word for another call: `depo` or `pricelist`.
 */
export const requestSign = ({ username, key }: { username: string; key: string }, subject: string): string =>
  createHash('md5').update(username).update(key).update(subject).digest('hex');

/**
 * Whether a callback was signed with the secret of the webhook: HMAC-SHA1 of its bytes as received. Compares in constant time.
 * @param header `X-Hub-Signature`.
 */
export function isSignedWith(secret: string, body: Buffer, header: string | undefined): boolean {
  const signature = `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
  const sent = Buffer.from(header ?? '');
  return sent.length === signature.length && timingSafeEqual(sent, Buffer.from(signature));
}
