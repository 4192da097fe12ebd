import { type Message, newDelivery, plannedCallbacks } from '../common/callbacks.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import type { Json } from '../common/shapes.js';
import { listed } from './catalogue.js';
import type { Status } from './codes.js';
import type { Account, Catalogue, Order, Product } from './model.js';
import type { LapakStore } from './store.js';

/** The members of an order in a callback and in the answer to an inquiry. */
export function orderData(store: LapakStore, order: Order, isCallback: boolean): Json {
  const { partner_reference_id, status, transactions, trx_id } = order;
  const { pending_transactions, reference_in_status, status_case } = store.readings;
  const said = (each: Status): string => (status_case === 'lower' ? each.toLowerCase() : each);
  const isListed = status !== 'PENDING' || pending_transactions === 'listed';
  const hasReference = partner_reference_id !== null && (isCallback || reference_in_status === 'present');
  return {
    status: said(status),
    tid: trx_id,
    ...(hasReference && { reference_id: partner_reference_id }),
    transactions: isListed ? transactions.map((each) => ({ ...each, status: said(each.status) })) : [],
  };
}

/** The final status of all transactions of an order, or null while they differ or are pending. */
export function endOf({ transactions }: Pick<Order, 'transactions'>): Status | null {
  const [first, ...others] = transactions;
  if (first === undefined || first.status === 'PENDING') return null;
  return others.every(({ status }) => status === first.status) ? first.status : null;
}

/** An order may name an address of its own. */
export const callbackUrlOf = (store: LapakStore, order: Order): string | null =>
  order.callback_url ?? store.account.callback_url;

/** D: an order is called back when all of it is successful, or all of it refunded. */
export function planOrderCallback(store: LapakStore, order: Order): Delivery[] {
  const url = callbackUrlOf(store, order);
  const end = endOf(order);
  if (url === null || end === null || order.callback.mode === 'never') return [];
  const isFirst = !Array.from(store.deliveries.values()).some(({ trx_id }) => trx_id === order.trx_id);
  return plannedCallbacks(store, order, { ...orderMessage(store, order, end), url }, isFirst);
}

/** The callback of an order with the members of `data` that a test wants. */
export function forgedMessage(store: LapakStore, order: Order, { set }: Forged): Omit<Message, 'url'> {
  return orderMessage(store, order, order.status, set);
}

function orderMessage(store: LapakStore, order: Order, status: Status, set: Json = {}): Omit<Message, 'url'> {
  const code = store.readings.callback_code === 'order_status' ? status : 'SUCCESS';
  return message({ code, data: { ...orderData(store, order, true), ...set } });
}

/** D: new products and changes of price or status are called back, one by one. */
export function planProductCallbacks(
  store: LapakStore,
  after: Catalogue,
  { product_callback_url: url }: Pick<Account, 'product_callback_url'> = store.account,
): Delivery[] {
  if (url === null) return [];
  const n = store.nextDelivery();
  return after.products
    .filter((product) => isNews(product, store.product(product.code)))
    .map((product, index) => productCallback(store, n + index, url, product));
}

/** The callback of a product, which a test may want to say something else. */
export function productCallback(store: LapakStore, n: number, url: string, product: Product, set: Json = {}): Delivery {
  const { code, name, provider_code, price, status } = listed(product);
  // C: `meta` is an object; what is in it is not known.
  const content = message({ data: { code, name, provider_code, price, status, ...set }, meta: {} });
  return newDelivery(store, { ...content, url }, { n });
}

function isNews(after: Product, before: Product | undefined): boolean {
  if (before === undefined) return true;
  return after.price !== before.price || listed(after).status !== listed(before).status;
}

function message(value: object): Omit<Message, 'url'> {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
