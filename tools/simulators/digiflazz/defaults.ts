import type { Account, Product } from './model.js';

const LOOPBACK = ['127.0.0.1', '::1'];

export const DEFAULT_ACCOUNT: Account = {
  username: 'demo-reseller',
  keys: { development: 'dev-4b1c9e70-test', production: 'prod-7d20a3f8-test' },
  allow_list: { development: LOOPBACK, production: LOOPBACK },
  deposit: 1_000_000,
  ever_deposited: true,
  rc: null,
  webhook: { id: 'hook-1', url: null, secret: 'hook-secret-1' },
  callback_from: null,
  tickets: [],
};

/** A product that can be bought at any time, with `changes`. */
export function product(changes: Partial<Product> & { readonly buyer_sku_code: string }): Product {
  return {
    product_name: `Product ${changes.buyer_sku_code}`,
    category: 'Games',
    brand: 'MOBILE LEGENDS',
    type: 'Umum',
    seller_name: 'S***r',
    desc: 'User id and zone id, without anything between',
    price: 10_000,
    buyer_product_status: true,
    seller_product_status: true,
    unlimited_stock: true,
    stock: 0,
    multi: true,
    start_cut_off: '00:00',
    end_cut_off: '00:00',
    rc: null,
    customer_no_pattern: null,
    ...changes,
  };
}

export const DEFAULT_PRODUCTS: readonly Product[] = [
  product({ buyer_sku_code: 'ml86', price: 20_000 }),
  product({ buyer_sku_code: 'ml172', price: 40_000 }),
  product({ buyer_sku_code: 'ff70', brand: 'FREE FIRE', desc: 'User id' }),
  product({ buyer_sku_code: 'pending', rc: '03' }),
  product({ buyer_sku_code: 'once-a-day', multi: false }),
  product({ buyer_sku_code: 'cut-off', start_cut_off: '23:45', end_cut_off: '00:15' }),
  product({ buyer_sku_code: 'sold-out', unlimited_stock: false }),
  product({ buyer_sku_code: 'seller-off', seller_product_status: false }),
  product({ buyer_sku_code: 'buyer-off', buyer_product_status: false }),
  product({ buyer_sku_code: 'xld10', category: 'Data', brand: 'XL', desc: 'Sandbox' }),
];
