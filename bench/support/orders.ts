import { SKU } from './catalog.js';

/** The JSON text of an order of one SKU. @param userId `slow-200` has the supplier take 200 ms. */
export const orderBody = (reference: string, userId = 'player-1', sku = SKU): string =>
  JSON.stringify({ reference_id: reference, user_id: userId, items: [{ sku, quantity: 1 }] });
