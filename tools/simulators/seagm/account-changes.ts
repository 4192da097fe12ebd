import { changedList } from '../common/account-changes.js';
import { amountText, unitsOf } from '../common/amounts.js';
import { checked, count, flag, integer, type Json, listOf, object } from '../common/shapes.js';
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

const FIELD: Shapes = { name: text, label: text, type: text };

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

/** The change that a body of `POST /_sim/account` makes; types are merged by id. @throws Invalid */
export function accountChange(store: Store, body: Json): Change {
  const wanted = checked<AccountChanges>(body, 'account', ACCOUNT);
  const { balance, types: changes, remove_types: removed, ...simple } = wanted;
  const available = balance === undefined ? store.account.available : (unitsOf(balance, DIGITS) ?? 0);
  const types = changedList<ProductType>(store.types, {
    what: 'type',
    key: 'id',
    shapes: TYPE,
    changes,
    removed,
    create: ({ id = 0, ...more }) => productType({ ...more, id }),
    check: ({ fields = [] }) => fields.forEach((each) => checked(each, 'field', FIELD)),
  });
  return { account: { ...store.account, ...simple, available }, ...((changes || removed) && { types }) };
}
