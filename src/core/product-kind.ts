/** What a unit of a product is: something that a player gets, or a code that whoever bought it is handed. */
export const PRODUCT_KINDS = ['topup', 'code'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];
