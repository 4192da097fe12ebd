import { describe, expect, it } from '@jest/globals';
import { BALANCE_SUFFIX, DEPOSIT_SUFFIX, hubSignature, PRICE_LIST_SUFFIX, requestSign } from './signatures.js';

const CALLBACK =
  '{"data":{"trx_id":"5ca22497cc6d0f965d9f84ac","ref_id":"TU7Q2M0001A1","customer_no":"1234567892001",' +
  '"buyer_sku_code":"ml86","message":"Transaksi Sukses","status":"Sukses","rc":"00",' +
  '"buyer_last_saldo":990000,"sn":"1234567890","price":10000}}';

describe('the signatures', () => {
  it.each([
    ['balance', BALANCE_SUFFIX, '1f7a87c0bfdd1b5d69583f533807e28d'],
    ['price list', PRICE_LIST_SUFFIX, '4465e106efbe131ba9bbea45ad1add3b'],
    ['deposit ticket', DEPOSIT_SUFFIX, '0cca7a0dad7f72475af8d4085b4f7070'],
    ['transaction', 'TU7Q2M0001A1', '2d37b1299886e65d33dbbcf4d5fb3995'],
  ])('of a request: %s', (_call, suffix, sign) => {
    expect(requestSign('demo-reseller', 'dev-4b1c9e70-test', suffix)).toBe(sign);
  });

  it('of a callback', () => {
    expect(Buffer.byteLength(CALLBACK)).toBe(239);
    expect(hubSignature('hook-secret-1', CALLBACK)).toBe('sha1=0b4f260ed7c81d609fc2fe911e3606fc513d256b');
  });
});
