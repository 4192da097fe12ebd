import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import type { Json } from '../common/shapes.js';
import { listed } from './catalogue.js';
import type { Status } from './codes.js';
import type { Account, Catalogue, Order, Product } from './model.js';
import type { LapakStore } from './store.js';

const HEADERS = { 'Content-Type': 'application/json' };

/** What the vendor tells about an order: in a callback, and to an inquiry. */
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

/** The status that all pieces of an order have come to, or null while they differ or are pending. */
export function endOf({ transactions }: Pick<Order, 'transactions'>): Status | null {
  const [first, ...others] = transactions;
  if (first === undefined || first.status === 'PENDING') return null;
  return others.every(({ status }) => status === first.status) ? first.status : null;
}

/** D: an order is called back when all of it is successful, or all of it refunded. */
export function planOrderCallback(store: LapakStore, order: Order): Delivery[] {
  const n = store.nextDelivery();
  const { callback, ref_id, trx_id } = order;
  const url = order.callback_url ?? store.account.callback_url;
  const end = endOf(order);
  if (url === null || end === null || callback.mode === 'never') return [];
  const isFirst = !Array.from(store.deliveries.values()).some((each) => each.trx_id === trx_id);
  const first = delivery(store, n, {
    url,
    body: JSON.stringify({ code: codeOf(store, end), data: orderData(store, order, true) }),
    ref_id,
    trx_id,
    from: callback.from ?? null,
    state: callback.mode === 'out_of_order' && isFirst ? 'held' : 'waiting',
    due_ms: store.now() + (callback.delay_ms ?? 0),
  });
  return callback.mode === 'twice' ? [first, { ...first, n: n + 1, repeat: true }] : [first];
}

/** The callback of an order with whatever members a test wants `data` to have. */
export function planForged(store: LapakStore, order: Order, wanted: Forged): Delivery | null {
  const url = wanted.url ?? order.callback_url ?? store.account.callback_url;
  if (url === null) return null;
  const data = { ...orderData(store, order, true), ...wanted.set };
  const { ref_id, trx_id } = order;
  return delivery(store, store.nextDelivery(), {
    body: JSON.stringify({ code: codeOf(store, order.status), data }),
    from: wanted.from ?? null,
    url,
    ref_id,
    trx_id,
  });
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
  const body = JSON.stringify({ data: { code, name, provider_code, price, status, ...set }, meta: {} });
  return delivery(store, n, { url, body });
}

function isNews(after: Product, before: Product | undefined): boolean {
  if (before === undefined) return true;
  return after.price !== before.price || listed(after).status !== listed(before).status;
}

function codeOf(store: LapakStore, status: Status): string {
  return store.readings.callback_code === 'order_status' ? status : 'SUCCESS';
}

function delivery(store: LapakStore, n: number, members: Pick<Delivery, 'body' | 'url'> & Partial<Delivery>): Delivery {
  return {
    n,
    trx_id: null,
    ref_id: null,
    headers: HEADERS,
    from: null,
    repeat: false,
    state: 'waiting',
    due_ms: store.now(),
    attempts: [],
    ...members,
  };
}
