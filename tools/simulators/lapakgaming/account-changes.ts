import { changedList } from '../common/account-changes.js';
import { checked, count, flag, integer, invalid, isObject, type Json, listOf, object } from '../common/shapes.js';
import { oneOf, orNull, type Shapes, text, url } from '../common/shapes.js';
import { planProductCallbacks } from './callbacks.js';
import { category, product } from './defaults.js';
import type { Account, Catalogue, Category, Change, Product } from './model.js';
import { code, status } from './rules.js';
import type { LapakStore } from './store.js';

const PRODUCT: Shapes = {
  code: text,
  category_code: text,
  name: text,
  provider_code: text,
  price: count,
  process_time: count,
  country_code: text,
  status: oneOf('available', 'empty'),
  refused_with: orNull(code),
  ends: status,
  stock: orNull(count),
};

const CATEGORY: Shapes = {
  code: text,
  name: text,
  variant: oneOf('DIGITAL', 'VOUCHER'),
  check_id: text,
  country_code: text,
  forms: listOf(object),
  servers: listOf(object),
  allowed: flag,
  end_user_ip: flag,
};

const ACCOUNT: Shapes = {
  secret_key: text,
  allow_list: listOf(text),
  balance: integer,
  code: orNull(code),
  callback_url: orNull(url),
  product_callback_url: orNull(url),
  callback_from: orNull(text),
  fx_rates: listOf(object),
  made_up_products: count,
  products: listOf(object),
  remove_products: listOf(text),
  categories: listOf(object),
};

interface AccountChanges extends Partial<Account> {
  readonly products?: readonly unknown[];
  readonly remove_products?: readonly string[];
  readonly categories?: readonly unknown[];
}

/**
 * The change that a body of `POST /_sim/account` makes. Products are merged by their codes, categories by code and
 * country. Callbacks report new and changed products.
 * @throws Invalid
 */
export function accountChange(store: LapakStore, body: Json): Change {
  const { categories, products, remove_products, ...members } = checked<AccountChanges>(body, 'account', ACCOUNT);
  const account: Account = { ...store.account, ...members };
  if (!categories && !products && !remove_products) return { account };
  const before = store.catalogue;
  const catalogue: Catalogue = {
    at_ms: store.now(),
    products: changedList<Product>(before.products, {
      what: 'product',
      key: 'code',
      shapes: PRODUCT,
      changes: products,
      removed: remove_products,
      // A change may also be of a generated product.
      create: ({ code = '', ...more }) => ({ ...(store.product(code) ?? product({ ...more, code })), ...more }),
    }),
    categories: (categories ?? []).reduce<readonly Category[]>(withCategory, before.categories),
  };
  return { account, catalogue, deliveries: planProductCallbacks(store, catalogue, account) };
}

function withCategory(categories: readonly Category[], value: unknown): readonly Category[] {
  const change = checked<Partial<Category>>(value, 'category', CATEGORY);
  if (change.code === undefined) throw invalid('a category needs code');
  for (const form of change.forms ?? []) {
    if (!isObject(form) || typeof form.name !== 'string') throw invalid('a form needs name');
  }
  const country = change.country_code ?? 'id';
  const isSame = (each: Category): boolean => each.code === change.code && each.country_code === country;
  const before = categories.find(isSame);
  const after = before ? { ...before, ...change } : category({ ...change, code: change.code });
  return before ? categories.map((each) => (each === before ? after : each)) : [...categories, after];
}
