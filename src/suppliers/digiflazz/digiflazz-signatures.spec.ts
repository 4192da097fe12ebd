import { describe, expect, it } from '@jest/globals';
import { isSignedWith, requestSign } from './digiflazz-signatures.js';

const ACCOUNT = { username: 'demo-reseller', key: 'dev-4b1c9e70-test' };
const SECRET = 'hook-secret-1';
const BODY = Buffer.from(
  '{"data":{"trx_id":"5ca22497cc6d0f965d9f84ac","ref_id":"TU7Q2M0001A1","customer_no":"1234567892001",' +
    '"buyer_sku_code":"ml86","message":"Transaksi Sukses","status":"Sukses","rc":"00","buyer_last_saldo":990000,' +
    '"sn":"1234567890","price":10000}}',
);
const SIGNATURE = 'sha1=0b4f260ed7c81d609fc2fe911e3606fc513d256b';

describe('the signature of a request', () => {
  it.each([
    ['a balance', 'depo', '1f7a87c0bfdd1b5d69583f533807e28d'],
    ['a price list', 'pricelist', '4465e106efbe131ba9bbea45ad1add3b'],
    ['a deposit ticket', 'deposit', '0cca7a0dad7f72475af8d4085b4f7070'],
    ['a transaction', 'TU7Q2M0001A1', '2d37b1299886e65d33dbbcf4d5fb3995'],
  ])('for %s follows the supplier’s formula', (_call, subject, sign) => {
    expect(requestSign(ACCOUNT, subject)).toBe(sign);
  });
});

describe('the signature of a callback', () => {
  it('matches the exact bytes of its body', () => {
    expect(isSignedWith(SECRET, BODY, SIGNATURE)).toBe(true);
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(BODY.toString()), null, 1));
    expect(isSignedWith(SECRET, rewritten, SIGNATURE)).toBe(false);
  });

  it.each([
    ['is absent', SECRET, undefined],
    ['is empty', SECRET, ''],
    ['is that of another secret', 'hook-secret-2', SIGNATURE],
    ['lacks its prefix', SECRET, SIGNATURE.slice('sha1='.length)],
    ['comes twice', SECRET, `${SIGNATURE}, ${SIGNATURE}`],
    ['has the length and other characters', SECRET, 'é'.repeat(22) + 'e'],
    ['is another one', SECRET, SIGNATURE.replace(/.$/, 'c')],
  ])('does not match if it %s', (_why, secret, header) => {
    expect(isSignedWith(secret, BODY, header)).toBe(false);
  });
});
