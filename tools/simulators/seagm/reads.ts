import { unitsOf } from '../common/amounts.js';
import { shortened } from '../common/rules.js';
import type { Json } from '../common/shapes.js';
import { refusedRead } from './orders.js';
import type { ProductType, Reply } from './model.js';
import { amountOf, DIGITS, refused, answered } from './replies.js';
import type { SeagmCall } from './requests.js';
import type { Rule } from './rules.js';
import type { Store } from './store.js';

const NOT_FOUND = 404;

/** Decides `GET /v1/…-categories`. */
export function answerCategories(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const refusal = refusedRead(store, call, rule);
  if (refusal) return refusal;
  const mine = store.types.filter(({ kind }) => kind === call.kind);
  const names = new Map(mine.map(({ category_id, category_name }) => [category_id, category_name]));
  const categories = Array.from(names, ([id, name]) => ({
    id,
    name,
    code: name.toLowerCase().replaceAll(' ', '-'),
    auto_delivery: true,
  }));
  return answered(store, shortened(categories, rule));
}

/** Decides `GET /v1/…-categories/{id}/…-types` and `/v1/…-types/{id}`. */
export function answerTypes(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const refusal = refusedRead(store, call, rule);
  if (refusal) return refusal;
  const id = call.id ?? '';
  if (id.startsWith('=')) {
    const type = store.type(call.kind, id.slice(1));
    return type ? answered(store, typeData(store, type)) : refused(store, NOT_FOUND);
  }
  const mine = store.types.filter(({ category_id, kind }) => kind === call.kind && String(category_id) === id);
  if (mine.length === 0) return refused(store, NOT_FOUND);
  const types = mine.map((type) => typeData(store, type));
  return answered(store, shortened(types, rule));
}

/** Decides `GET /v1/me`. I: the difference between credits and balance. */
export function answerAccount(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const refusal = refusedRead(store, call, rule);
  if (refusal) return refusal;
  const { available, currency, uid } = store.account;
  const balance = amountOf(store, available);
  return answered(store, { uid, credits: balance, balance, currency });
}

/** Decides `GET /time`, which needs no account. */
export function answerTime(store: Store, _call: SeagmCall, rule: Rule | undefined): Reply {
  if (rule?.code !== undefined) return refused(store, rule.code, rule.info_code ?? null);
  return answered(store, { timestamp: Math.floor(store.now() / 1_000) });
}

function typeData(store: Store, type: ProductType): Json {
  const { account_check, fields, id, name, par_value, par_value_currency, unit_price } = type;
  return {
    id,
    name,
    par_value,
    par_value_currency,
    unit_price: amountOf(store, unitsOf(unit_price, DIGITS) ?? 0),
    currency: store.account.currency,
    account_check,
    fields,
  };
}
