import type { Translate } from '../../i18n/words';
import type { components } from '../../schema';

export type ProductRow = components['schemas']['ListedProductDto'];
export type ProductView = components['schemas']['ProductDetailDto'];
export type OfferView = components['schemas']['OfferDto'];
export type PriceChange = components['schemas']['PriceChangeDto'];
export type MemberChange = components['schemas']['MemberChangeDto'];

/** How a product stands: a code of the kit's states. */
export function stateOf({ active, routable }: Pick<ProductRow, 'active' | 'routable'>): string {
  if (!active) return 'product_off_sale';
  return routable ? 'product_on_sale' : 'unroutable';
}

/** How an offer stands: a code of the kit's states. */
export function offerStateOf({ active, routable, in_use: isInUse }: OfferView): string {
  if (isInUse) return 'offer_in_use';
  if (!active) return 'offer_off';
  return routable ? 'offer_ready' : 'unroutable';
}

/** What is asked for besides the player, in words; empty where nothing is. */
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

/** What a member is called; the code itself where it has no name. */
export const memberName = (member: string, t: Translate): string => t.maybe(`productMember.${member}`) ?? member;

/** `-12.5` as `−12.5%`, with a sign. */
export function formatPercent(percent: number, language: string): string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  return `${number.format(percent).replace('-', '−')}%`;
}
