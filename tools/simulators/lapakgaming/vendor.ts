import { sendPage } from '../common/answers.js';
import { latest } from '../common/control.js';
import type { Delivery } from '../common/model.js';
import { callbackShapes, type CallbackBehaviour } from '../common/rules.js';
import { checked, invalid, type Json, object, text, url } from '../common/shapes.js';
import type { Courier, Handler, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { answer } from './answers.js';
import { planForged, productCallback } from './callbacks.js';
import { move } from './ledger.js';
import type { Call, Lapakgaming, LapakCall, LapakReply, LapakRule, Step } from './model.js';
import { placeOrder, tellOrder } from './orders.js';
import { purchasesOf, type PurchaseView } from './purchase-view.js';
import { listAllProducts, listCategories, listGroups, listProducts } from './reads.js';
import { tellBalance, tellBestProduct, tellFxRate } from './reads.js';
import { receive } from './requests.js';
import { OUTCOME, RULES } from './rules.js';
import { LapakStore } from './store.js';

type Decide = (store: LapakStore, call: LapakCall, rule: LapakRule | undefined) => LapakReply;

const CALLS: Readonly<Record<Call, Decide>> = {
  order: placeOrder,
  order_status: tellOrder,
  category: listCategories,
  'all-products': listAllProducts,
  product: listProducts,
  'group-products': listGroups,
  'best-product': tellBestProduct,
  'fx-rate': tellFxRate,
  balance: tellBalance,
};

const UNDECIDED: LapakReply = {
  http: 200,
  code: '',
  data: {},
  decision: 'not decided',
  about: { code: null },
};

/** Lapakgaming, as far as its documents go. */
export function lapakgaming(store = new LapakStore()): Vendor<Lapakgaming> & { readonly store: LapakStore } {
  return {
    store,
    rules: RULES,
    forged: {},
    undecided: UNDECIDED,
    receive: async (request) => withReference(store, await receive(request)),
    decide: (call, rule) => (call.call === null ? UNDECIDED : CALLS[call.call](store, call, rule)),
    answer,
    // I: which page a wrong method or path gets.
    answerElsewhere: (_call, response) => Promise.resolve(sendPage(response, 404)),
    take: (order, step) => void move(store, order, step),
    callbackFrom: () => store.account.callback_from,
    // D: "we expect you to return HTTP status 200".
    isAccepted: (status) => status === 200,
    again: (delivery) => delivery,
    forge: (order, wanted) => planForged(store, order, wanted),
    purchases: (refId) => purchasesOf(store, refId),
    account: () => accountOf(store),
    accountChange: (body) => accountChange(store, body),
    accountChanged: (_before, courier) => courier.arm(),
    routes: (courier) => routesOf(store, courier),
  };
}

/** An inquiry by tid is about the reference of that order too, for rules and the journal. */
function withReference(store: LapakStore, call: LapakCall): LapakCall {
  if (call.call !== 'order_status') return call;
  const tid = typeof call.fields?.tid === 'string' ? call.fields.tid : '';
  const order = store.transactions.get(tid) ?? store.orderOf(call.ref_id ?? '');
  return order ? { ...call, ref_id: order.ref_id, sku: order.product_code, player: order.user_id } : call;
}

function accountOf(store: LapakStore): unknown {
  const orders = Array.from(store.transactions.values());
  const debited = orders.reduce((sum, each) => sum + each.debited, 0);
  const { categories, products } = store.catalogue;
  return { ...store.account, debited, products, categories };
}

function routesOf(store: LapakStore, courier: Courier): Readonly<Record<string, Handler>> {
  return {
    'POST /_sim/settle': (body) => settle(store, courier, body),
    'POST /_sim/product-callbacks': (body) => callBackProduct(store, courier, body),
  };
}

type Settlement = Partial<Omit<Step, 'due_ms'>> & {
  readonly ref_id?: string;
  readonly callback?: CallbackBehaviour;
};

/** Moves an order; its own steps are called off. */
function settle(store: LapakStore, courier: Courier, body: Json): PurchaseView[] {
  const shapes = { ...OUTCOME, ref_id: text, callback: object };
  const { callback, ref_id, status = 'SUCCESS', ...step } = checked<Settlement>(body, 'settle', shapes);
  if (callback) checked(callback, 'callback', callbackShapes(RULES));
  const order = latest<Lapakgaming>(store, ref_id);
  move(store, { ...order, steps: [], callback: callback ?? order.callback }, { status, ...step });
  courier.arm();
  return purchasesOf(store, order.ref_id);
}

/** The callback of a product, which may say something that is not so. */
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
