import { isIP } from 'node:net';
import { bestOf, groupOf, listed } from './catalogue.js';
import type { Code } from './codes.js';
import type { LapakCall, Product } from './model.js';
import { textOf } from './requests.js';
import type { LapakStore } from './store.js';

/** The content of an order. */
export interface Wanted {
  readonly product_code: string;
  readonly product: Product | undefined;
  readonly user_id: string;
  readonly additional_id: string;
  readonly count: number;
  /** The price that the client expects. */
  readonly price: number | null;
  readonly partner_reference_id: string | null;
  readonly callback_url: string | null;
  readonly end_user_ip_address: string | null;
}

/** Reads an order that has no problem. */
export function wantedBy(store: LapakStore, { fields }: LapakCall): Wanted {
  const product = productOf(store, fields);
  return {
    product_code: product?.code ?? textOf(fields, 'product_code') ?? textOf(fields, 'group_product') ?? '',
    product,
    user_id: textOf(fields, 'user_id') ?? '',
    additional_id: textOf(fields, 'additional_id') ?? '',
    count: typeof fields?.count_order === 'number' ? fields.count_order : 1,
    price: typeof fields?.price === 'number' ? fields.price : null,
    partner_reference_id: textOf(fields, 'partner_reference_id'),
    callback_url: textOf(fields, 'override_callback_url'),
    end_user_ip_address: textOf(fields, 'end_user_ip_address'),
  };
}

/** I: a product code counts before a group; of a group the vendor takes the best product. */
function productOf(store: LapakStore, fields: LapakCall['fields']): Product | undefined {
  const code = textOf(fields, 'product_code');
  if (code !== null) return store.product(code);
  const group = textOf(fields, 'group_product');
  const country = textOf(fields, 'country_code') ?? 'id';
  const all = store.productsOf(store.catalogue);
  return bestOf(all.filter((each) => groupOf(each) === group && each.country_code === country));
}

/** Why no order is accepted, or null. The sequence of the checks is I. */
export function refusalOf(store: LapakStore, wanted: Wanted): Code | null {
  const { account } = store;
  const { product } = wanted;
  if (account.code !== null) return account.code;
  if (product === undefined) return 'PRODUCT_NOT_FOUND';
  if (store.category(product)?.allowed === false) return 'NOT_ALLOWED';
  if (product.refused_with !== null) return product.refused_with;
  if (product.stock !== null && product.stock < wanted.count) return 'STOCK_NOT_FOUND';
  if (listed(product).status === 'empty') return 'PRODUCT_EMPTY';
  if (!isPriceRight(store, wanted, product)) return 'PRICE_NOT_MATCH';
  return playerRefusal(store, wanted, product) ?? (account.balance < totalOf(wanted) ? 'INSUFFICIENT_BALANCE' : null);
}

export const totalOf = ({ product, count }: Wanted): number => (product?.price ?? 0) * count;

function isPriceRight(store: LapakStore, wanted: Wanted, product: Product): boolean {
  if (wanted.price === null) return true;
  const actual = store.readings.price_basis === 'total' ? totalOf(wanted) : product.price;
  return store.readings.price_check === 'maximum' ? actual <= wanted.price : actual === wanted.price;
}

/** The code by which the category's form refuses the player, or null. */
function playerRefusal(store: LapakStore, wanted: Wanted, product: Product): Code | null {
  const category = store.category(product);
  const asks = (name: string): boolean => category?.forms.some((form) => form.name === name) ?? false;
  if (asks('user_id') && wanted.user_id.trim() === '') return 'USER_ID_EMPTY';
  if (/\s/.test(wanted.user_id)) return 'USER_ID_CONTAIN_SPACE';
  const lacksServer = asks('additional_id') && wanted.additional_id.trim() === '';
  if (lacksServer && store.readings.additional_id_missing === 'USER_ID_EMPTY') return 'USER_ID_EMPTY';
  const lacksAddress = category?.end_user_ip === true && isIP(wanted.end_user_ip_address ?? '') === 0;
  return lacksAddress ? store.readings.end_user_ip_missing : null;
}

/** Whether the vendor accepts an order that it can't deliver. */
export function lacksServer(store: LapakStore, { product, additional_id }: Wanted): boolean {
  const forms = product ? store.category(product)?.forms : undefined;
  return additional_id.trim() === '' && (forms?.some(({ name }) => name === 'additional_id') ?? false);
}
