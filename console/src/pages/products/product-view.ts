import type { Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import type { components } from '../../schema';

export type ProductRow = components['schemas']['ListedProductDto'];
export type ProductView = components['schemas']['ProductDetailDto'];
export type OfferView = components['schemas']['OfferDto'];
export type PriceChange = components['schemas']['PriceChangeDto'];
export type MemberChange = components['schemas']['MemberChangeDto'];

/** The state of a product, as a code for `Status`. */
export function stateOf({ active, routable }: Pick<ProductRow, 'active' | 'routable'>): string {
  if (!active) return 'product_off_sale';
  return routable ? 'product_on_sale' : 'unroutable';
}

/** The state of an offer, as a code for `Status`. */
export function offerStateOf({ active, routable, in_use: isInUse }: OfferView): string {
  if (isInUse) return 'offer_in_use';
  if (!active) return 'offer_off';
  return routable ? 'offer_ready' : 'unroutable';
}

/** What an order must contain besides the player, translated. Empty when nothing is required. */
export const requirementsOf = (
  product: Pick<ProductRow, 'requires_server' | 'requires_character'>,
  t: Translate,
): string =>
  [
    product.requires_server ? t('product.requiresServer') : null,
    product.requires_character ? t('product.requiresCharacter') : null,
  ]
    .filter((each) => each !== null)
    .join(', ');

/** Why there is no cost in baht. */
export function noCostOf(
  { supplier, cost_currency: currency }: Pick<ProductRow, 'supplier' | 'cost_currency'>,
  t: Translate,
): string {
  if (supplier === null) return t('product.noOffer');
  return currency === null ? t('product.noCost') : t('product.noRate', { currency });
}

/** The translated name of a member, or its code when there is no translation. */
export const memberName = (member: string, t: Translate): string => t.maybe(`productMember.${member}`) ?? member;

/** The members with an amount of money. */
const AMOUNTS = new Set(['price', 'cost']);

/** The value of a member for display: words for booleans and kinds, grouped amounts, a sign for percentages. */
export function memberValue(member: string, value: string, t: Translate): string {
  if (value === 'true') return t('value.yes');
  if (value === 'false') return t('value.no');
  if (member === 'kind') return t(value === 'code' ? 'product.kindCode' : 'product.kindTopup');
  if (member === 'guard_percent') return `${value}%`;
  return AMOUNTS.has(member) ? formatAmount(value) : value;
}

/** Formats `-12.5` as `−12.5%`. Positive numbers get a plus sign. */
export function formatPercent(percent: number, language: string): string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  return `${number.format(percent).replace('-', '−')}%`;
}
