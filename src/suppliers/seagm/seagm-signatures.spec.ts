import { describe, expect, it } from '@jest/globals';
import { isSignedWith, signatureOf, signedText } from './seagm-signatures.js';

const SECRET = 'seagm-test-secret';
const ORDER = {
  uid: '10001',
  timestamp: '1760000000',
  type_id: '6351',
  mch_order_id: 'TU7Q2M0001A1',
  buy_amount: '1',
};
const SIGNATURE = 'fe0d96de68deef003cc8e5d3703f317ae12b9cd26df76cf7c0d115324a71b702';

describe('a signature', () => {
  it('covers the sorted parameters', () => {
    expect(signatureOf(SECRET, ORDER)).toBe(SIGNATURE);
  });

  it('covers form-encoded names and values', () => {
    expect(signedText({ 'User ID': 'Anna & Co', b: 'ü~*' })).toBe('User+ID=Anna+%26+Co&b=%C3%BC%7E%2A');
  });

  it('is valid if our key signed all other parameters, in upper or lower case', () => {
    expect(isSignedWith(SECRET, { ...ORDER, signature: SIGNATURE })).toBe(true);
    expect(isSignedWith(SECRET, { ...ORDER, signature: SIGNATURE.toUpperCase() })).toBe(true);
    expect(isSignedWith('other', { ...ORDER, signature: SIGNATURE })).toBe(false);
    expect(isSignedWith(SECRET, { ...ORDER, buy_amount: '2', signature: SIGNATURE })).toBe(false);
    for (const signature of ['', SIGNATURE.slice(1), 'ü'])
      expect(isSignedWith(SECRET, { ...ORDER, signature })).toBe(false);
    expect(isSignedWith(SECRET, ORDER)).toBe(false);
  });
});
