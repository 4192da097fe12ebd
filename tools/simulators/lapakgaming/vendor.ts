import type { IncomingMessage } from 'node:http';
import type { Message } from '../common/callbacks.js';
import type { Delivery } from '../common/model.js';
import { checked, invalid, type Json, text, object, url } from '../common/shapes.js';
import { type Courier, type Forged, type Handler, type Outcome, type StateOf, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { answer } from './answers.js';
import { callbackUrlOf, endOf, forgedMessage, productCallback } from './callbacks.js';
import { move } from './ledger.js';
import type { Call, Change, Kinds, LapakCall, LapakReply, LapakRule, Order } from './model.js';
import { placeOrder, answerOrder } from './orders.js';
import { listAllProducts, listCategories, listGroups, listProducts } from './reads.js';
import { answerBalance, answerBestProduct, answerFxRate } from './reads.js';
import { receive } from './requests.js';
import { RULES } from './rules.js';
import { LapakStore } from './store.js';

type Decide = (store: LapakStore, call: LapakCall, rule: LapakRule | undefined) => LapakReply;

const CALLS: Readonly<Record<Call, Decide>> = {
  order: placeOrder,
  order_status: answerOrder,
  category: listCategories,
  'all-products': listAllProducts,
  product: listProducts,
  'group-products': listGroups,
  'best-product': answerBestProduct,
  'fx-rate': answerFxRate,
  balance: answerBalance,
};

/** The reseller interface of Lapakgaming. */
export class Lapakgaming extends Vendor<Kinds> {
  readonly store = new LapakStore();
  readonly rules = RULES;
  readonly undecided: LapakReply = { http: 200, code: '', data: {}, decision: 'not decided', about: { code: null } };
  readonly answer = answer;

  async receive(request: IncomingMessage): Promise<LapakCall> {
    return withReference(this.store, await receive(request));
  }

  decide(call: LapakCall, rule: LapakRule | undefined): LapakReply {
    return call.call === null ? this.undecided : CALLS[call.call](this.store, call, rule);
  }

  /** D: "we expect you to return HTTP status 200". */
  isAccepted(status: number | null): boolean {
    return status === 200;
  }

  /** An order counts as pending while its transactions differ. */
  outcomeOf(order: Order): Outcome {
    const end = endOf(order);
    if (end === 'SUCCESS') return 'succeeded';
    return end === 'REFUNDED' ? 'failed' : 'pending';
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  override accountChanged(_before: Kinds['account'], courier: Courier): void {
    courier.arm();
  }

  override routes(courier: Courier): Readonly<Record<string, Handler>> {
    return {
      ...super.routes(courier),
      'POST /_sim/product-callbacks': (body) => callBackProduct(this.store, courier, body),
    };
  }

  protected move(order: Order, state: StateOf<Order>): void {
    move(this.store, order, state);
  }

  protected purchaseView(latest: Order): Json {
    const { additional_id, product_code: sku, status, total_price: price, transactions, trx_id: tid, user_id } = latest;
    const voucher_codes = transactions.map(({ voucher_code }) => voucher_code).filter((code) => code !== '');
    return { tid, sku, user_id, additional_id, status, price, voucher_codes };
  }

  protected accountView(): Json {
    const { categories, products } = this.store.catalogue;
    return { ...this.store.account, products, categories };
  }

  protected callbackUrl(order: Order): string | null {
    return callbackUrlOf(this.store, order);
  }

  protected forgedMessage(order: Order, wanted: Forged): Omit<Message, 'url'> {
    return forgedMessage(this.store, order, wanted);
  }

  protected override settledState(wanted: Json): StateOf<Order> {
    return { status: 'SUCCESS', ...wanted };
  }
}

/** For rules and the journal, an inquiry by tid has the reference, SKU and player of its order. */
function withReference(store: LapakStore, call: LapakCall): LapakCall {
  if (call.call !== 'order_status') return call;
  const tid = typeof call.fields?.tid === 'string' ? call.fields.tid : '';
  const order = store.transactions.get(tid) ?? store.orderOf(call.ref_id ?? '');
  return order ? { ...call, ref_id: order.ref_id, sku: order.product_code, player: order.user_id } : call;
}

/** Sends the callback of a product, with the members that a test sets. */
function callBackProduct(store: LapakStore, courier: Courier, body: Json): Promise<Delivery> {
  const wanted = checked<{ code?: string; url?: string; set?: Json }>(body, 'callback', {
    code: text,
    set: object,
    url,
  });
  const product = store.product(wanted.code ?? '');
  if (product === undefined) throw invalid(`there is no product ${wanted.code ?? 'without code'}`);
  const target = wanted.url ?? store.account.product_callback_url;
  if (target === null) throw invalid('there is no address to call back');
  return courier.send(productCallback(store, store.nextDelivery(), target, product, wanted.set));
}
