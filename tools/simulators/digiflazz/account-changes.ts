import { changedList } from '../common/account-changes.js';
import { checked, count, flag, integer, invalid, type Json, listOf, object } from '../common/shapes.js';
import { orNull, type Shape, type Shapes, text } from '../common/shapes.js';
import { product } from './defaults.js';
import type { Account, Change, Product } from './model.js';
import { responseCode } from './rules.js';
import type { Store } from './store.js';

const clock: Shape = {
  expected: 'a time hh:mm',
  fits: (value) => typeof value === 'string' && /^([01]?\d|2[0-3]):[0-5]?\d$/.test(value),
};

const PRODUCT: Shapes = {
  ...Object.fromEntries(
    ['buyer_sku_code', 'product_name', 'category', 'brand', 'type', 'seller_name', 'desc'].map((name) => [name, text]),
  ),
  price: count,
  buyer_product_status: flag,
  seller_product_status: flag,
  unlimited_stock: flag,
  stock: count,
  multi: flag,
  start_cut_off: clock,
  end_cut_off: clock,
  rc: orNull(responseCode),
  customer_no_pattern: orNull(text),
};

const ACCOUNT: Shapes = {
  username: text,
  keys: object,
  allow_list: object,
  deposit: integer,
  ever_deposited: flag,
  rc: orNull(responseCode),
  webhook: object,
  callback_from: orNull(text),
  products: listOf(object),
  remove_products: listOf(text),
  pay_ticket: text,
};

interface AccountChanges extends Partial<Omit<Account, 'tickets'>> {
  readonly products?: readonly Json[];
  readonly remove_products?: readonly string[];
  readonly pay_ticket?: string;
}

/** The change that a body of `POST /_sim/account` makes; its objects are merged with the account's. @throws Invalid */
export function accountChange(store: Store, body: unknown): Change {
  const wanted = checked<AccountChanges>(body, 'account', ACCOUNT);
  const { products, remove_products, pay_ticket, keys, allow_list, webhook, ...simple } = wanted;
  if (keys) checked(keys, 'keys', { development: text, production: text });
  if (allow_list) checked(allow_list, 'allow_list', { development: listOf(text), production: listOf(text) });
  if (webhook) checked(webhook, 'webhook', { id: text, url: orNull(text), secret: orNull(text) });
  if (typeof webhook?.url === 'string' && !URL.canParse(webhook.url)) throw invalid('webhook.url must be a URL');

  const { account } = store;
  const changed: Account = {
    ...account,
    ...simple,
    keys: { ...account.keys, ...keys },
    allow_list: { ...account.allow_list, ...allow_list },
    webhook: { ...account.webhook, ...webhook },
  };
  const all = changedList<Product>(store.products, {
    what: 'product',
    key: 'buyer_sku_code',
    shapes: PRODUCT,
    changes: products,
    removed: remove_products,
    create: ({ buyer_sku_code = '', ...more }) => product({ ...more, buyer_sku_code }),
  });
  return {
    account: pay_ticket === undefined ? changed : withPaidTicket(changed, pay_ticket),
    ...((products || remove_products) && { catalogue: { at_ms: store.now(), products: all } }),
  };
}

function withPaidTicket(account: Account, notes: string): Account {
  const ticket = account.tickets.find((each) => each.notes === notes && !each.paid);
  if (ticket === undefined) throw invalid(`there is no open ticket ${notes}`);
  return {
    ...account,
    deposit: account.deposit + ticket.amount,
    ever_deposited: true,
    tickets: account.tickets.map((each) => (each === ticket ? { ...each, paid: true } : each)),
  };
}
