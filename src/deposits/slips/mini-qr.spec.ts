import { describe, expect, it } from '@jest/globals';
import { promptPayPayload } from '../channels/promptpay/promptpay-qr.js';
import { withCrc } from '../channels/promptpay/tlv.js';
import { miniQr, readMiniQr, slipOf, slipRefOf } from './mini-qr.js';

const SLIP = { bank: '014', transRef: '202611241530XYZ01234' };
const TEXT = '0041000600000101030140220202611241530XYZ012345102TH9104F4F2';

describe('the QR code of a slip', () => {
  it('is read and written', () => {
    expect(readMiniQr(TEXT)).toEqual(SLIP);
    expect(miniQr(SLIP)).toBe(TEXT);
    expect(slipRefOf(SLIP)).toBe('014:202611241530XYZ01234');
    expect(slipOf(slipRefOf(SLIP))).toEqual(SLIP);
  });

  it('is refused if any character is changed, except for small letters in the checksum', () => {
    for (let at = 0; at < TEXT.length; at++)
      for (const other of ['0', '5', 'F', 'f', 'x', '-', ' ', 'é'])
        if (other !== TEXT[at] && !(at >= TEXT.length - 4 && other.toUpperCase() === TEXT[at]))
          expect(readMiniQr(TEXT.slice(0, at) + other + TEXT.slice(at + 1))).toBeNull();
  });

  it('may have a checksum in small letters, or without its leading zeros', () => {
    expect(readMiniQr(TEXT.replace('F4F2', 'f4f2'))).toEqual(SLIP);
    const numbers = Array.from({ length: 200 }, (_, n) => ({ bank: '014', transRef: `A${n}` }));
    const short = numbers.filter((each) => miniQr(each).at(-4) === '0');
    expect(short.length).toBeGreaterThan(0);
    for (const each of short) {
      const text = miniQr(each);
      expect(readMiniQr(text.slice(0, -4) + text.slice(-4).replace(/^0+/, '').toLowerCase())).toEqual(each);
    }
  });

  it.each([
    ['nothing', ''],
    ['a code to pay', promptPayPayload({ promptpayId: '0812345678' }, 100_000n, '')],
    ['one of TrueMoney', withCrc('00480002010108P2P0000102100123456789030824112026' + '5102TH', '91')],
    ['a number of 26 characters', miniQr({ bank: '014', transRef: 'A'.repeat(26) })],
    ['letters in a length', TEXT.replace('0220', '02AA')],
    ['129 characters', '0'.repeat(129)],
    ['a line after it', `${TEXT}\n`],
  ])('is not %s', (_, text) => expect(readMiniQr(text)).toBeNull());
});
