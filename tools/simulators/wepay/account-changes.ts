import { amountText, unitsOf } from '../common/amounts.js';
import { checked, flag, invalid, isObject, type Json, listOf, object, orNull } from '../common/shapes.js';
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

/** What a body of `POST /_sim/account` changes; companies are merged by company_id. @throws Invalid */
export function accountChange(store: Store, body: Json): Change {
  const wanted = checked<AccountChanges>(body, 'account', ACCOUNT);
  const { balance, companies, remove_companies, ...simple } = wanted;
  const available = balance === undefined ? store.account.available : (unitsOf(balance, DIGITS) ?? 0);
  return {
    account: { ...store.account, ...simple, available },
    ...((companies || remove_companies) && {
      companies: changedCompanies(store, companies ?? [], remove_companies ?? []),
    }),
  };
}

function changedCompanies(store: Store, changes: readonly Json[], removed: readonly string[]): Company[] {
  const companies = new Map(store.companies.map((each) => [each.company_id, each]));
  for (const value of changes) {
    const change = checked<Partial<Company>>(value, 'company', COMPANY);
    const { company_id, type } = change;
    if (company_id === undefined) throw invalid('a company needs company_id');
    for (const each of change.denomination ?? []) {
      checked(each, 'denomination', { price: amount, description: text });
      if (!isObject(each) || each.price === undefined) throw invalid('a denomination needs price');
    }
    const before = companies.get(company_id);
    if (before === undefined && type === undefined) throw invalid('a new company needs type');
    const fresh = { company_id, type: type ?? 'gtopup' };
    companies.set(company_id, before ? { ...before, ...change } : company({ ...change, ...fresh }));
  }
  for (const id of removed) companies.delete(id);
  return [...companies.values()];
}
