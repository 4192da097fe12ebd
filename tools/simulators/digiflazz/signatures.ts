import { createHash, createHmac } from 'node:crypto';

/** The end of the signed text, after username and key, of calls that are not about a transaction. */
export const BALANCE_SUFFIX = 'depo';
export const PRICE_LIST_SUFFIX = 'pricelist';
export const DEPOSIT_SUFFIX = 'deposit';

/** The `sign` of a request: MD5 in lower-case hex; `suffix` is the ref_id of a transaction, or as above. */
export function requestSign(username: string, key: string, suffix: string): string {
  return createHash('md5').update(`${username}${key}${suffix}`).digest('hex');
}

/** The value of `X-Hub-Signature` for the bytes of a callback. */
export function hubSignature(secret: string, body: string): string {
  return `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
}
