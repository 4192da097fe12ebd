import { usualPlayer, writePlayer } from '../player-template.js';
import type { TopUp } from '../supplier-adapter.js';

/** Who buys. */
export interface Account {
  username: string;
  password: string;
}

/** What the vendor sells one amount of. */
interface Denomination {
  type: string;
  company: string;
  /** As it is sent: `90`, `90.02`, `23.50`. */
  amount: string;
}

const SKU = /^(gtopup|mtopup|cashcard|billpay):([^:\s]+):((?:0|[1-9]\d{0,8})(?:\.\d{1,2})?)$/;
/** What cash cards are bought with in the place of a player. */
const NOBODY = '0000000000';

/** The amount is the key of the product, and sent as the catalogue has it: whole numbers without decimals, others with two. */
export function writeAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const decimals = fraction.padEnd(2, '0');
  return decimals === '00' ? whole : `${whole}.${decimals}`;
}

/** What a SKU such as `gtopup:FREEFIRE:90.02` names; null for what is none. */
export function denominationOf(sku: string): Denomination | null {
  const [, type, company, amount] = SKU.exec(sku) ?? [];
  if (type === undefined || company === undefined || amount === undefined) return null;
  return { type, company, amount: writeAmount(amount) };
}

export const isCashCard = (sku: string): boolean => sku.startsWith('cashcard:');

/** `pay_to_ref1`: the player, all in one. */
const playerOf = (topUp: TopUp): string =>
  topUp.playerTemplate === null ? usualPlayer(topUp) : writePlayer(topUp.playerTemplate, topUp);

/**
 * The fields of a purchase: the same for each send of an attempt, unless our address changes.
 * @returns null for a SKU that names nothing of the vendor's.
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
    pay_to_ref1: type === 'cashcard' ? NOBODY : playerOf(topUp),
    dest_ref: topUp.reference,
    ...(callbackUrl !== null && { resp_url: callbackUrl }),
  };
}

/** A request to the API, as a form. */
export const requestBody = ({ username, password }: Account, fields: Record<string, string>): string =>
  new URLSearchParams({ username, password, ...fields }).toString();
