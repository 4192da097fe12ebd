import { unitsOf } from '../common/amounts.js';
import { courseOf, honestRule, settleDelay } from '../common/rules.js';
import { refusedAtGate } from './gate.js';
import { form } from './ledger.js';
import type { Reply } from './model.js';
import { DIGITS, DONE, orderData, refused, answered } from './replies.js';
import type { SeagmCall } from './requests.js';
import type { CallbackBehaviour, PlannedStep, Rule } from './rules.js';
import type { Store } from './store.js';

const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const INSUFFICIENT_CREDIT = 406;
/** D: "card type doesn't exist", the one info_code that is documented. */
const NO_SUCH_TYPE = 20_077;
/** I: the info_codes of a field that is missing or wrong, and of a reference that is repeated. */
const BAD_FIELD = 20_001;
const REPEATED = 20_002;
const SUCCESS_CODES = [200, 2_000, 2_010];

/** Decides `POST /v1/recharge-orders` and `/v1/card-orders`. */
export function buy(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const code = honestRule(rule, 'code')?.code;
  const atGate = refusedAtGate(store, call, code);
  if (atGate !== null) return atGate;
  if (store.account.code !== null) return refused(store, store.account.code);

  const honest = decide(store, call, rule, code);
  if (!rule?.answer_only || rule.code === undefined) return honest;
  // The vendor lies in its answer, but the decision stands.
  const { transaction, warnings, decision } = honest;
  const lie = { ...refused(store, rule.code, rule.info_code ?? null), decision };
  return { ...lie, ...(transaction && { transaction }), ...(warnings && { warnings }) };
}

/** Decides `GET /v1/…-orders/{id}`. */
export function inquire(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const refusal = refusedRead(store, call, rule);
  if (refusal) return refusal;
  const by = call.fields.query_type ?? 'orderId';
  if (by !== 'orderId' && by !== 'mchOrderId') {
    return refused(store, BAD_REQUEST, BAD_FIELD, 'query_type is not valid');
  }
  const order = store.order(call.kind, call.id ?? '', by);
  if (order === undefined) return refused(store, NOT_FOUND);
  return answered(store, orderData(store, order), { transaction: order });
}

/** The refusal of a read, by the vendor or by a rule; or null. */
export function refusedRead(store: Store, call: SeagmCall, rule: Rule | undefined): Reply | null {
  const atGate = refusedAtGate(store, call, rule?.code);
  if (atGate) return atGate;
  return rule?.code === undefined ? null : refused(store, rule.code, rule.info_code ?? null);
}

function decide(store: Store, call: SeagmCall, rule: Rule | undefined, code: number | undefined): Reply {
  const known = store.underReference(call.ref_id ?? '').at(-1);
  const warnings = known ? ['the reference was sent before'] : [];
  if (code !== undefined && !SUCCESS_CODES.includes(code)) {
    return { ...refused(store, code, rule?.info_code ?? null), warnings };
  }
  const { repeated_reference } = store.readings;
  if (known && repeated_reference === 'same_order') {
    const transaction = store.sentAgain(known);
    return answered(store, orderData(store, transaction), { decision: 'repeated', transaction, warnings });
  }
  if (known && repeated_reference === 'refused') {
    return { ...refused(store, BAD_REQUEST, REPEATED, 'mch_order_id is repeated'), warnings };
  }
  const reply = firstSend(store, call, rule);
  return { ...reply, warnings };
}

function firstSend(store: Store, call: SeagmCall, rule: Rule | undefined): Reply {
  const { buy_amount = '', mch_order_id = '', type_id = '' } = call.fields;
  const type = store.type(call.kind, type_id);
  if (type === undefined) {
    return refused(store, BAD_REQUEST, NO_SUCH_TYPE, `The ${call.kind} type doesn't exist`);
  }
  const missing = type.fields.find(({ name }) => !call.fields[name]);
  const isCount = /^[1-9]\d{0,3}$/.test(buy_amount);
  const wrong = mch_order_id === '' ? 'mch_order_id' : isCount ? missing?.name : 'buy_amount';
  if (wrong !== undefined) return refused(store, BAD_REQUEST, BAD_FIELD, `${wrong} is not valid`);

  const unit_price = unitsOf(type.unit_price, DIGITS) ?? 0;
  const quantity = Number(buy_amount);
  if (unit_price * quantity > store.account.available) return refused(store, INSUFFICIENT_CREDIT);
  const order = {
    ref_id: mch_order_id,
    kind: call.kind,
    type_id: type.id,
    buy_amount: quantity,
    unit_price,
    currency: store.account.currency,
    fields: Object.fromEntries(type.fields.map(({ name }) => [name, call.fields[name] ?? ''])),
  };
  const after_ms = settleDelay(rule, store.readings.settle_after_ms);
  const course = courseOf<PlannedStep, CallbackBehaviour>(store.now(), rule, [{ status_code: DONE, after_ms }]);
  const transaction = form(store, order, course);
  return answered(store, orderData(store, transaction), { decision: 'accepted', transaction });
}
