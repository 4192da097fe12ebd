import { createHash, createHmac } from 'node:crypto';

/** The end of the signed text, after username and key. In calls about a transaction it is the ref_id, in others one of these. */
export const BALANCE_SUFFIX = 'depo';
export const PRICE_LIST_SUFFIX = 'pricelist';
export const DEPOSIT_SUFFIX = 'deposit';

/** The `sign` of a request: MD5 in lower-case hex. @param suffix a ref_id, or one of the constants. */
export function requestSign(username: string, key: string, suffix: string): string {
  return createHash('md5').update(`${username}${key}${suffix}`).digest('hex');
}

/** The value of `X-Hub-Signature` for the bytes of a callback. */
export function hubSignature(secret: string, body: string): string {
  return `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
}
