import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import { qrImage } from './qr-image.js';

const TEXT = '00020101021229370016A00000067701011101130066812345678530376454071500.375802TH6304D4B9';

describe('the image of a QR code', () => {
  it('has exactly the dark modules of the code, with a margin', () => {
    const svg = Buffer.from(qrImage(TEXT).split('base64,')[1] ?? '', 'base64').toString();
    const { data, size } = encode(TEXT, { ecc: 'M', border: 4 });
    expect(svg).toContain(`viewBox="0 0 ${size} ${size}"`);
    const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
    for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
      for (let at = Number(x); at < Number(x) + Number(length); at++) (drawn[Number(y)] ?? [])[at] = true;
    expect(drawn).toEqual(data);
    expect(data.flat().some(Boolean)).toBe(true);
    expect(data[3]?.some(Boolean)).toBe(false);
  });

  it('is the same when it is drawn again, after many others', () => {
    const first = qrImage(TEXT);
    for (let n = 0; n < 300; n++) qrImage(`other ${n}`);
    expect(qrImage(TEXT)).toBe(first);
  });
});
