import { field, withCrc } from '../channels/promptpay/tlv.js';

/** The content of the QR code on a bank's slip. Nobody can pay it: it names a transfer. */
export interface MiniQr {
  /** The sending bank, and its own number of the transfer. Two banks may use one number. */
  bank: string;
  transRef: string;
}

/** The identity of a transfer. */
export const slipRefOf = ({ bank, transRef }: MiniQr): string => `${bank}:${transRef}`;

export const slipOf = (slipRef: string): MiniQr => ({ bank: slipRef.slice(0, 3), transRef: slipRef.slice(4) });

/** The text of a slip's QR code. */
export const miniQr = ({ bank, transRef }: MiniQr): string =>
  withCrc(field('00', field('00', '000001') + field('01', bank) + field('02', transRef)) + field('51', 'TH'), '91');

const SHAPE = /^00\d\d00060000010103(\d{3})02\d\d([!-~]{1,25})5102TH9104([0-9A-F]{1,4})$/i;

/** Banking apps may write the checksum in small letters and without leading zeros. @returns null for any other text. */
export function readMiniQr(text: string): MiniQr | null {
  const [, bank, transRef, crc] = SHAPE.exec(text) ?? [];
  if (bank === undefined || transRef === undefined || crc === undefined) return null;
  const slip = { bank, transRef };
  return miniQr(slip) === text.slice(0, -crc.length) + crc.toUpperCase().padStart(4, '0') ? slip : null;
}
