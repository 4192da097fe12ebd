import { randomInt } from 'node:crypto';
import { shortened } from '../common/rules.js';
import { refusedAtGate } from './gate.js';
import type { Environment, Product, Reply } from './model.js';
import { refusedCall } from './replies.js';
import { type DigiflazzCall, textOf } from './requests.js';
import type { Rule } from './rules.js';
import { BALANCE_SUFFIX, DEPOSIT_SUFFIX, PRICE_LIST_SUFFIX } from './signatures.js';
import type { Store } from './store.js';

/** The window that all products share, whether or not they are filtered. */
const ALL = '*';

/** Decides `POST /cek-saldo`. */
export function answerBalance(store: Store, call: DigiflazzCall, rule: Rule | undefined): Reply {
  const refusal = refused(store, call, BALANCE_SUFFIX, rule);
  if (refusal) return refusal;
  return { http: 200, data: { deposit: store.account.deposit }, decision: 'told', about: { rc: null } };
}

/** Decides `POST /price-list`. */
export function listPrices(store: Store, call: DigiflazzCall, rule: Rule | undefined): Reply {
  const refusal = refused(store, call, PRICE_LIST_SUFFIX, rule);
  if (refusal) return refusal;

  const code = textOf(call.fields, 'code');
  const { price_list_all_seconds, price_list_code_seconds } = store.readings;
  const [window, seconds] = code === null ? [ALL, price_list_all_seconds] : [`code ${code}`, price_list_code_seconds];
  const last = store.priceLists[window];
  if (last !== undefined && store.now() - last < seconds * 1_000) return limited(store);
  store.commit({ price_lists: { [window]: store.now() } });

  const found = productsFor(store, call).map((product) => itemOf(store, product));
  return { http: 200, data: shortened(found, rule, Math.ceil), decision: 'told', about: { rc: null } };
}

/** Decides `POST /deposit`: a ticket, to be paid by a bank transfer of exactly this amount. I: the answer. */
export function openTicket(store: Store, call: DigiflazzCall, rule: Rule | undefined): Reply {
  const refusal = refused(store, call, DEPOSIT_SUFFIX, rule);
  if (refusal) return refusal;
  const wanted = call.fields?.amount as number;
  if (wanted === 0) return refusedCall(store, '64');
  const ticket = { amount: wanted + randomInt(1, 1_000), notes: `T${randomInt(1e6, 1e7)}`, paid: false };
  store.commit({ account: { ...store.account, tickets: [...store.account.tickets, ticket] } });
  const { amount, notes } = ticket;
  return { http: 200, data: { rc: '00', amount, notes }, decision: 'ticket', about: { rc: '00' } };
}

function refused(store: Store, call: DigiflazzCall, suffix: string, rule: Rule | undefined): Reply | null {
  if (call.problem !== null) return refusedCall(store, '40', call.problem);
  const either: readonly Environment[] = ['production', 'development'];
  const keys = store.readings.read_key === 'either' ? either : either.slice(0, 1);
  const rc = refusedAtGate(store, call, suffix, keys) ?? rule?.rc;
  return rc === undefined ? null : rc === '83' ? limited(store) : refusedCall(store, rc);
}

/** The answer instead of a list that was requested too often. */
function limited(store: Store): Reply {
  const reply = refusedCall(store, '83');
  switch (store.readings.price_list_limited) {
    case 'rc_83_object':
      return reply;
    case 'empty_list':
      return { ...reply, http: 200, data: [] };
    case 'http_429':
      return { ...reply, http: 429 };
  }
}

function productsFor(store: Store, { fields }: DigiflazzCall): readonly Product[] {
  const code = textOf(fields, 'code');
  if (code !== null) return store.products.filter(({ buyer_sku_code }) => buyer_sku_code === code);
  const filters = (['category', 'brand', 'type'] as const).flatMap((name) => {
    const value = textOf(fields, name);
    return value === null ? [] : [{ name, value }];
  });
  if (filters.length === 0) return store.products;
  const all = productsAt(store, store.now() - store.readings.filtered_list_age_minutes * 60_000);
  return all.filter((product) => filters.every(({ name, value }) => product[name] === value));
}

function productsAt(store: Store, atMs: number): readonly Product[] {
  const [first] = store.catalogues;
  return (store.catalogues.findLast(({ at_ms }) => at_ms <= atMs) ?? first)?.products ?? [];
}

/** A product in the price list. */
function itemOf(store: Store, product: Product): Record<string, unknown> {
  const { rc: _, customer_no_pattern: __, ...item } = product;
  return { ...item, price: store.readings.price_list_price === 'text' ? String(item.price) : item.price };
}
