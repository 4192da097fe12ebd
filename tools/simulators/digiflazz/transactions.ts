import { datedSteps, honestRule } from '../common/rules.js';
import { failureOf, type Limits, refusalOf } from './checks.js';
import { codeOf } from './codes.js';
import { refusedAtGate } from './gate.js';
import { form, move, type Order } from './ledger.js';
import type { Environment, Reply, Step, Transaction } from './model.js';
import { refusedTransaction, stateOf, withCode } from './replies.js';
import { type DigiflazzCall, textOf } from './requests.js';
import type { Rule } from './rules.js';
import type { Store } from './store.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** C: clients stop inquiring before the 90 days are over. */
const CAREFUL_DAYS = 85;
const TEST_PRICE = 10_000;

/** The result of testing by number: the code of the answer, and the final code of a pending transaction. */
const TEST_NUMBERS: ReadonlyMap<string, readonly [rc: string, end?: string]> = new Map([
  ['087800001230', ['00']],
  ['087800001232', ['02']],
  ['087800001233', ['03', '00']],
  ['087800001234', ['03', '02']],
]);

/** Decides `POST /transaction`: a purchase, or an inquiry if the reference is on record. */
export function transact(store: Store, call: DigiflazzCall, rule: Rule | undefined): Reply {
  if (call.problem !== null) return refusedTransaction(store, call, '40', call.problem);
  const { order, limits } = read(store, call);
  const atGate = refusedAtGate(store, call, order.ref_id, keysFor(store, order)) ?? store.account.rc;
  if (atGate !== null) return refusedTransaction(store, call, atGate);

  const known = store.underReference(order.ref_id).at(-1);
  const days = known ? (store.now() - known.made_at_ms) / DAY_MS : 0;
  // D: a repetition of an older transaction is a new one.
  const isNew = !known || days > store.readings.new_transaction_after_days;
  const honest = honestRule(rule, 'rc');
  const reply = isNew
    ? firstSend(store, call, { order, limits, rule: honest })
    : repeat(store, call, { known, order, limits, rule: honest });
  const warnings = known ? [...(reply.warnings ?? []), ...ageWarnings(days, isNew)] : reply.warnings;
  const answer = rule?.answer_only && rule.rc !== undefined ? withCode(reply, rule.rc) : reply;
  return { ...answer, ...(warnings && { warnings }) };
}

interface Wanted {
  readonly order: Order;
  readonly limits: Limits;
  readonly rule: Rule | undefined;
}

function firstSend(store: Store, call: DigiflazzCall, { order, limits, rule }: Wanted): Reply {
  const formed = (rc: string, end?: string): Reply => {
    const course = { rc, sn: rule?.sn, steps: stepsOf(store, rc, rule, end), callback: rule?.callback ?? {} };
    return stateOf(form(store, order, course), false);
  };
  if (rule?.rc !== undefined) {
    return codeOf(rule.rc).made ? formed(rule.rc) : refusedTransaction(store, call, rule.rc);
  }
  if (isOverLimit(store)) return formed('85');
  if (order.testing) {
    if (store.readings.test_sku === 'xld10' && order.buyer_sku_code !== 'xld10') {
      return refusedTransaction(store, call, '43');
    }
    const [rc, end] = TEST_NUMBERS.get(order.customer_no) ?? [store.readings.unknown_test_number];
    return formed(rc, end);
  }
  const refusal = refusalOf(store, order, limits);
  if (refusal !== null) return refusedTransaction(store, call, refusal);
  return formed(failureOf(store, order, limits) ?? store.product(order.buyer_sku_code)?.rc ?? '00');
}

function repeat(store: Store, call: DigiflazzCall, wanted: Wanted & { known: Transaction }): Reply {
  const { known, limits, order, rule } = wanted;
  const { readings } = store;
  const gapMs = store.now() - known.last_sent_ms;
  const isEarly = known.sends > 0 && gapMs < readings.repeat_gap_seconds * 1_000;
  const isSame = known.buyer_sku_code === order.buyer_sku_code && known.customer_no === order.customer_no;
  const isSameBody = known.sends === 0 || call.body === store.firstBodyOf('transaction', order.ref_id);
  const warnings = [
    ...(isEarly ? [`repeated after ${Math.floor(gapMs / 1_000)} s`] : []),
    ...(isSame ? [] : ['the reference is that of another SKU or number']),
    ...(isSameBody ? [] : ['the body is not that of the first send']),
  ];
  const current = store.sentAgain(known);
  const decide = (): Reply => {
    if (rule?.rc !== undefined) return ruledRepeat(store, call, current, rule.rc, rule.sn);
    if (isEarly && readings.repeat_too_early === 'rc_85') {
      return withCode(stateOf(current, true), '85', 'refused');
    }
    const refusal = order.testing ? null : refusalOf(store, order, limits);
    if (readings.reference_lookup === 'last' && refusal !== null) {
      return refusedTransaction(store, call, refusal);
    }
    if (!isSame && readings.repeat_with_other_content === 'rc_49') {
      return refusedTransaction(store, call, '49');
    }
    return stateOf(current, true);
  };
  return { ...decide(), warnings };
}

/** A code of a transaction becomes its state; any other code is answered and changes nothing. */
function ruledRepeat(store: Store, call: DigiflazzCall, current: Transaction, rc: string, sn?: string): Reply {
  const { made, status } = codeOf(rc);
  if (!made) return refusedTransaction(store, call, rc);
  if (rc === current.rc) return stateOf(current, true);
  if (status === 'Pending' && current.status !== 'Pending') return withCode(stateOf(current, true), rc);
  return stateOf(move(store, { ...current, steps: [] }, { rc, ...(sn !== undefined && { sn }) }), true);
}

function read(store: Store, call: DigiflazzCall): { order: Order; limits: Limits } {
  const fields = call.fields ?? {};
  const given = textOf(fields, 'customer_no') ?? '';
  const hasDot = given.includes('.') && fields.allow_dot !== true;
  const { dot_without_allow_dot } = store.readings;
  const buyer_sku_code = textOf(fields, 'buyer_sku_code') ?? '';
  const testing = fields.testing === true;
  const order: Order = {
    ref_id: textOf(fields, 'ref_id') ?? '',
    buyer_sku_code,
    customer_no: hasDot && dot_without_allow_dot === 'strip' ? given.replaceAll('.', '') : given,
    testing,
    channel: 'api',
    cb_url: textOf(fields, 'cb_url'),
    price: testing ? TEST_PRICE : (store.product(buyer_sku_code)?.price ?? 0),
  };
  const max_price = fields.max_price as number | undefined;
  return { order, limits: { max_price, hasForbiddenDot: hasDot && dot_without_allow_dot === 'rc_54' } };
}

function keysFor(store: Store, { testing }: Order): readonly Environment[] {
  if (store.readings.transaction_key === 'either') return ['development', 'production'];
  return [testing ? 'development' : 'production'];
}

/** The steps of a rule, or else the end of a pending transaction. */
export function stepsOf(store: Store, rc: string, rule: Pick<Rule, 'then'> | undefined, end = '00'): Step[] {
  const isPending = codeOf(rc).status === 'Pending';
  const ordinary = isPending ? [{ rc: end, after_ms: store.readings.settle_after_ms }] : [];
  return datedSteps<{ rc: string; after_ms: number; sn?: string }>(store.now(), rule?.then ?? ordinary);
}

function isOverLimit(store: Store): boolean {
  const limit = store.readings.transactions_per_minute;
  if (limit === 0) return false;
  const since = store.now() - MINUTE_MS;
  const recent = Array.from(store.transactions.values()).filter(({ made_at_ms }) => made_at_ms > since);
  return recent.length >= limit;
}

function ageWarnings(days: number, isNew: boolean): string[] {
  if (isNew) return [`repeated after ${Math.floor(days)} days: a new transaction`];
  return days > CAREFUL_DAYS ? [`repeated after ${Math.floor(days)} days`] : [];
}
