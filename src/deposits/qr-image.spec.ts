import { describe, expect, it } from '@jest/globals';
import decodeQr from 'qr/decode.js';
import { qrImage } from './qr-image.js';

const TEXT = '00020101021229370016A00000067701011101130066812345678530376454071500.375802TH6304D4B9';
/** The pixels of a module's side, for the reader. */
const SCALE = 4;

/** The modules that the image draws: true where it is dark. */
function modulesOf(image: string): boolean[][] {
  const svg = Buffer.from(image.split('base64,')[1] ?? '', 'base64').toString();
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let at = Number(x); at < Number(x) + Number(length); at++) (modules[Number(y)] ?? [])[at] = true;
  return modules;
}

/** The text that a reader finds in a photograph of the modules. */
function textOf(modules: boolean[][]): string {
  const side = modules.length * SCALE;
  const at = (pixel: number): number => Math.floor(pixel / SCALE);
  const pixels = Array.from({ length: side * side }, (_, index) => {
    const isDark = modules[at(Math.floor(index / side))]?.[at(index % side)] ?? false;
    return isDark ? [0, 0, 0, 255] : [255, 255, 255, 255];
  });
  return decodeQr({ width: side, height: side, data: Uint8Array.from(pixels.flat()) });
}

describe('the image of a QR code', () => {
  it('is read as the text', () => expect(textOf(modulesOf(qrImage(TEXT)))).toBe(TEXT));

  it('has a margin of four blank modules', () => {
    const modules = modulesOf(qrImage(TEXT));
    const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [x, y] : [])));
    expect([Math.min(...dark), Math.max(...dark)]).toEqual([4, modules.length - 5]);
  });

  it('is the same when it is drawn again, after many others', () => {
    const first = qrImage(TEXT);
    for (let n = 0; n < 300; n++) qrImage(`other ${n}`);
    expect(qrImage(TEXT)).toBe(first);
  });
});
