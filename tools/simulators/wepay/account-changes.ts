import { changedList } from '../common/account-changes.js';
import { amountText, unitsOf } from '../common/amounts.js';
import { checked, flag, invalid, type Json, listOf, object, orNull } from '../common/shapes.js';
import { oneOf, type Shapes, text } from '../common/shapes.js';
import { company } from './defaults.js';
import type { Account, Change, Company } from './model.js';
import { DIGITS } from './replies.js';
import { answerCode, TYPES } from './rules.js';
import type { Store } from './store.js';

const amount = amountText(DIGITS);

const COMPANY: Shapes = {
  company_id: text,
  company_name: text,
  type: oneOf(...TYPES),
  fee: amount,
  refundable: flag,
  denomination: listOf(object),
  congestion: listOf(text),
  gameservers: listOf(object),
  refs_format: object,
  sof_min: amount,
  sof_max: amount,
  discount: amount,
  code: orNull(answerCode),
};

const ACCOUNT: Shapes = {
  username: text,
  password: text,
  allow_list: listOf(text),
  balance: amount,
  code: orNull(answerCode),
  callback_from: orNull(text),
  companies: listOf(object),
  remove_companies: listOf(text),
};

interface AccountChanges extends Partial<Omit<Account, 'available'>> {
  readonly balance?: string;
  readonly companies?: readonly Json[];
  readonly remove_companies?: readonly string[];
}

/** The change that a body of `POST /_sim/account` makes; companies are merged by company_id. @throws Invalid */
export function accountChange(store: Store, body: Json): Change {
  const wanted = checked<AccountChanges>(body, 'account', ACCOUNT);
  const { balance, companies: changes, remove_companies: removed, ...simple } = wanted;
  const available = balance === undefined ? store.account.available : (unitsOf(balance, DIGITS) ?? 0);
  const companies = changedList<Company>(store.companies, {
    what: 'company',
    key: 'company_id',
    shapes: COMPANY,
    changes,
    removed,
    create: ({ company_id = '', type, ...more }) => {
      if (type === undefined) throw invalid('a new company needs type');
      return company({ ...more, company_id, type });
    },
    check: ({ denomination = [] }) => denomination.forEach(checkDenomination),
  });
  return { account: { ...store.account, ...simple, available }, ...((changes || removed) && { companies }) };
}

function checkDenomination(value: unknown): void {
  const { price } = checked<{ price?: string }>(value, 'denomination', { price: amount, description: text });
  if (price === undefined) throw invalid('a denomination needs price');
}
