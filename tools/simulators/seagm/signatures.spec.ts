import { describe, expect, it } from '@jest/globals';
import { signatureAsReceived, signatureOf } from './signatures.js';

const SECRET = 'seagm-test-secret';
const VECTOR = 'fe0d96de68deef003cc8e5d3703f317ae12b9cd26df76cf7c0d115324a71b702';
const PAIRS = [
  ['uid', '10001'],
  ['type_id', '6351'],
  ['signature', 'ignored'],
  ['timestamp', '1760000000'],
  ['mch_order_id', 'TU7Q2M0001A1'],
  ['buy_amount', '1'],
] as const;

describe('the signature', () => {
  it('covers all parameters except itself, sorted by name', () => {
    expect(signatureOf(PAIRS, SECRET)).toBe(VECTOR);
  });

  it('covers the form-encoded values: a space is a plus', () => {
    const encoded = signatureAsReceived([['name', 'A+B%26C%7E']], SECRET);
    expect(signatureOf([['name', 'A B&C~']], SECRET)).toBe(encoded);
  });
});
