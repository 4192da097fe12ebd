import { encode } from 'uqr';

/** The blank margin that a code needs, in modules. */
const MARGIN = 4;

/** Shops ask for a pending deposit again and again, and drawing its code takes milliseconds. */
const MAX_KEPT = 256;
const kept = new Map<string, string>();

/** A QR code as the `src` of an image. */
export function qrImage(text: string): string {
  const image = kept.get(text) ?? draw(text);
  // The image that was used last is removed last.
  kept.delete(text);
  kept.set(text, image);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return image;
}

/** Neighbouring dark modules are one rectangle, so that the image stays small. */
function draw(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN });
  const path = data.flatMap((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  );
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path.join('')}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
