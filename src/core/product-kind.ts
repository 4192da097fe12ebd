/** A unit of a product is a top-up of a player, or a code for the buyer. */
export const PRODUCT_KINDS = ['topup', 'code'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];
