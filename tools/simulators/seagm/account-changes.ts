import { amountText, unitsOf } from '../common/amounts.js';
import { checked, count, flag, integer, invalid, type Json, listOf, object } from '../common/shapes.js';
import { oneOf, orNull, type Shapes, text, url } from '../common/shapes.js';
import { productType } from './defaults.js';
import type { Account, Change, ProductType } from './model.js';
import { DIGITS } from './replies.js';
import type { Store } from './store.js';

const amount = amountText(DIGITS);

const TYPE: Shapes = {
  id: count,
  kind: oneOf('recharge', 'card'),
  category_id: count,
  category_name: text,
  name: text,
  par_value: text,
  par_value_currency: text,
  unit_price: amount,
  account_check: flag,
  fields: listOf(object),
};

const ACCOUNT: Shapes = {
  uid: text,
  secret_key: text,
  currency: text,
  balance: amount,
  code: orNull(integer),
  callback_url: orNull(url),
  callback_from: orNull(text),
  types: listOf(object),
  remove_types: listOf(count),
};

interface AccountChanges extends Partial<Omit<Account, 'available'>> {
  readonly balance?: string;
  readonly types?: readonly Json[];
  readonly remove_types?: readonly number[];
}

/** What a body of `POST /_sim/account` changes; types are merged by id. @throws Invalid */
export function accountChange(store: Store, body: Json): Change {
  const wanted = checked<AccountChanges>(body, 'account', ACCOUNT);
  const { balance, types, remove_types, ...simple } = wanted;
  const available = balance === undefined ? store.account.available : (unitsOf(balance, DIGITS) ?? 0);
  return {
    account: { ...store.account, ...simple, available },
    ...((types || remove_types) && { types: changedTypes(store, types ?? [], remove_types ?? []) }),
  };
}

function changedTypes(store: Store, changes: readonly Json[], removed: readonly number[]): ProductType[] {
  const types = new Map(store.types.map((each) => [each.id, each]));
  for (const value of changes) {
    const change = checked<Partial<ProductType>>(value, 'type', TYPE);
    const { id } = change;
    if (id === undefined) throw invalid('a type needs id');
    for (const each of change.fields ?? []) checked(each, 'field', { name: text, label: text, type: text });
    const before = types.get(id);
    types.set(id, before ? { ...before, ...change } : productType({ ...change, id }));
  }
  for (const id of removed) types.delete(id);
  return [...types.values()];
}
