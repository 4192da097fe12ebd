import { randomBytes } from 'node:crypto';
import { SKU } from './catalog.js';
import { httpRequest, load, type LoadOptions, type LoadResult } from './load.js';
import type { Wallet } from './wallets.js';

/** The JSON text of an order of one SKU. @param userId `slow-200` has the supplier take 200 ms. */
export const orderBody = (reference: string, userId = 'player-1', sku = SKU): string =>
  JSON.stringify({ reference_id: reference, user_id: userId, items: [{ sku, quantity: 1 }] });

interface OrderLoad extends Omit<LoadOptions, 'next'> {
  /** The merchants, in rotation. */
  wallets: Wallet[];
  /** As in {@link orderBody}. */
  userId?: string;
}

/**
 * Places orders, as fast as they are accepted or at a rate.
 * @returns also the prefix of their references, which is followed by a number from 0.
 * @throws on any answer but 200.
 */
export async function loadOrders({ wallets, userId, ...options }: OrderLoad): Promise<LoadResult & { run: string }> {
  const run = randomBytes(6).toString('hex');
  let n = 0;
  const result = await load({
    ...options,
    next: () => httpRequest('/v1/orders', wallets[n % wallets.length]?.key ?? '', orderBody(`${run}-${n++}`, userId)),
  });
  const { statuses } = result;
  if (statuses.size !== 1 || !statuses.has(200)) throw new Error(`not only orders: ${[...statuses].join(' ')}`);
  return { ...result, run };
}
