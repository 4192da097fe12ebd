import { usualPlayer, writePlayer } from '../player-template.js';
import type { TopUp } from '../supplier-adapter.js';

/** Our account at the supplier. */
export interface Account {
  username: string;
  password: string;
}

/** One amount that a company sells. A SKU names a denomination. */
interface Denomination {
  type: string;
  company: string;
  /** In the form of requests: `90`, `90.02`, `23.50`. */
  amount: string;
}

const SKU = /^(gtopup|mtopup|cashcard|billpay):([^:\s]+):((?:0|[1-9]\d{0,8})(?:\.\d{1,2})?)$/;
/** The value in place of the player in purchases of cash cards. */
const NO_PLAYER = '0000000000';

/**
 * Writes an amount without decimals if it is whole, and otherwise with two. The amount identifies the product, so SKUs
 * of the catalogue and requests must write it in the same form.
 */
export function writeAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const decimals = fraction.padEnd(2, '0');
  return decimals === '00' ? whole : `${whole}.${decimals}`;
}

/** The denomination that a SKU such as `gtopup:FREEFIRE:90.02` names; null for any other text. */
export function denominationOf(sku: string): Denomination | null {
  const [, type, company, amount] = SKU.exec(sku) ?? [];
  if (type === undefined || company === undefined || amount === undefined) return null;
  return { type, company, amount: writeAmount(amount) };
}

/** `pay_to_ref1`: the player as one text. */
const playerOf = (topUp: TopUp): string =>
  topUp.playerTemplate === null ? usualPlayer(topUp) : writePlayer(topUp.playerTemplate, topUp);

/**
 * The fields of a purchase. Every send of an attempt has the same fields, unless our callback address changes.
 * @returns null for a SKU that the supplier can't have.
 */
export function purchaseFields(
  topUp: TopUp,
  { callbackUrl }: { callbackUrl: string | null },
): Record<string, string> | null {
  const denomination = denominationOf(topUp.sku);
  if (!denomination) return null;
  const { type, company, amount } = denomination;
  return {
    type,
    pay_to_company: company,
    pay_to_amount: amount,
    pay_to_ref1: type === 'cashcard' ? NO_PLAYER : playerOf(topUp),
    dest_ref: topUp.reference,
    ...(callbackUrl !== null && { resp_url: callbackUrl }),
  };
}

/** The form of a request. */
export const requestBody = ({ username, password }: Account, fields: Record<string, string>): string =>
  new URLSearchParams({ username, password, ...fields }).toString();
