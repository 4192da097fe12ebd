const FAILURE_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['INVALID_PLAYER', 'No player has this user id.'],
  ['INVALID_SERVER', 'The player is not on this server.'],
  ['PLAYER_NOT_ELIGIBLE', 'This player may not receive the product.'],
  ['LIMIT_EXCEEDED', 'The player has reached the purchase limit.'],
  ['OUT_OF_STOCK', 'The product is out of stock.'],
  ['ITEM_NOT_FOUND', 'The product is unknown.'],
  ['PRODUCT_UNAVAILABLE', 'The product is not on sale at present.'],
  ['SUPPLIER_REJECTED', 'The purchase was rejected.'],
  ['SUPPLIER_UNAVAILABLE', 'The purchase could not be made.'],
]);

/** A sentence for any failure code, known or not. */
export function failureMessageOf(failureCode: string): string {
  return FAILURE_MESSAGES.get(failureCode) ?? `The purchase failed with ${failureCode}.`;
}
