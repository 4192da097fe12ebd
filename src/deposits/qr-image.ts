import encodeQr from 'qr';

/** The blank margin that a QR code needs, in modules. */
const MARGIN = 4;

/** The maximum number of images kept. Merchants read a pending deposit repeatedly, and to draw its QR code takes milliseconds. */
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

function draw(text: string): string {
  const rows = encodeQr(text, 'raw', { ecc: 'medium', border: MARGIN });
  const size = rows.length;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${rows.map(drawRow).join('')}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** Neighboring dark modules are one rectangle, so that the image stays small. */
function drawRow(row: boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x]) x++;
    const length = x - start;
    if (length > 0) path += `M${start} ${y}h${length}v1h-${length}z`;
  }
  return path;
}
