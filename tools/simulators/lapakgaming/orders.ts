import { datedSteps, honestRule } from '../common/rules.js';
import { orderData } from './callbacks.js';
import { lacksServer, refusalOf, type Wanted, wantedBy } from './checks.js';
import { type Code, SUCCESS } from './codes.js';
import { refusedAtGate } from './gate.js';
import { accept } from './ledger.js';
import type { LapakCall, LapakReply, LapakRule, Order, Step } from './model.js';
import { done, refused, withCode } from './replies.js';
import { textOf } from './requests.js';
import type { LapakStore } from './store.js';

const DAY_MS = 86_400_000;

/** Decides `POST /api/order`. */
export function placeOrder(store: LapakStore, call: LapakCall, rule: LapakRule | undefined): LapakReply {
  const atGate = refusedAtGate(store, call);
  if (atGate) return atGate;
  if (call.problem !== null) return refused(store, store.readings.malformed_code, call.problem);
  const wanted = wantedBy(store, call);
  const honest = honestRule(rule, 'code');
  const known = rememberedOrder(store, wanted);
  const reply = known ? repeat(store, call, known, wanted, honest) : firstSend(store, wanted, honest);
  return rule?.answer_only && rule.code !== undefined ? withCode(store, reply, rule.code) : reply;
}

/** Decides `GET /api/order_status`. I: where both are given, the tid counts. */
export function answerOrder(store: LapakStore, call: LapakCall, rule: LapakRule | undefined): LapakReply {
  const refusal = refusedAtGate(store, call);
  if (refusal) return refusal;
  if (rule?.code !== undefined) return refused(store, rule.code);
  const tid = textOf(call.fields, 'tid');
  const reference = textOf(call.fields, 'partner_reference_id');
  if (tid === null && reference === null) return refused(store, store.readings.malformed_code, 'no order is named');
  const order = tid === null ? store.orderOf(reference ?? '') : store.transactions.get(tid);
  const isKnown = order && store.now() - order.made_at_ms >= store.readings.order_unknown_for_ms;
  return isKnown ? done('told', orderData(store, order, false)) : unknownOrder(store);
}

function firstSend(store: LapakStore, wanted: Wanted, rule: LapakRule | undefined): LapakReply {
  const refusal = rule?.code ?? refusalOf(store, wanted);
  if (refusal !== null && refusal !== SUCCESS) return refused(store, refusal);
  const steps = stepsOf(store, wanted, rule);
  return accepted(accept(store, wanted, { steps, callback: rule?.callback ?? {} }), 'accepted');
}

function repeat(
  store: LapakStore,
  call: LapakCall,
  known: Order,
  wanted: Wanted,
  rule: LapakRule | undefined,
): LapakReply {
  const { readings } = store;
  const isSameBody = call.body === store.firstBodyOf('order', known.ref_id);
  const warnings = [
    ...(isSameContent(known, wanted) ? [] : ['the reference is that of another product or player']),
    ...(isSameBody ? [] : ['the body is not that of the first send']),
  ];
  const decide = (): LapakReply => {
    if (rule?.code !== undefined && rule.code !== SUCCESS) return refused(store, rule.code);
    const refusal: Code | null = rule?.code ? null : refusalOf(store, wanted);
    if (readings.reference_lookup === 'last' && refusal !== null) return refused(store, refusal);
    if (readings.repeated_reference === 'new_order') return firstSend(store, wanted, rule);
    const again = store.sentAgain(known);
    if (readings.repeated_reference === 'refused') return refused(store, readings.repeated_reference_code);
    return accepted(again, 'repeated');
  };
  return { ...decide(), warnings };
}

function accepted(order: Order, decision: string): LapakReply {
  return done(decision, { tid: order.trx_id, total_price: order.total_price }, order);
}

function unknownOrder(store: LapakStore): LapakReply {
  const { unknown_order } = store.readings;
  return unknown_order === 'no_data' ? done('unknown order', null) : refused(store, unknown_order);
}

function rememberedOrder(store: LapakStore, { partner_reference_id }: Wanted): Order | undefined {
  if (partner_reference_id === null) return undefined;
  const order = store.orderOf(partner_reference_id);
  const days = order ? (store.now() - order.made_at_ms) / DAY_MS : 0;
  return days > store.readings.reference_kept_days ? undefined : order;
}

function isSameContent(known: Order, wanted: Wanted): boolean {
  return (
    known.product_code === wanted.product_code &&
    known.user_id === wanted.user_id &&
    known.additional_id === wanted.additional_id &&
    known.transactions.length === wanted.count
  );
}

/** The steps of a rule, or else the end of the order. */
function stepsOf(store: LapakStore, wanted: Wanted, rule: LapakRule | undefined): Step[] {
  if (rule?.then) return datedSteps(store.now(), rule.then);
  const end = lacksServer(store, wanted) ? 'REFUNDED' : (wanted.product?.ends ?? 'SUCCESS');
  if (end === 'PENDING') return [];
  const { note, voucher_code } = rule ?? {};
  const step = { ...(note !== undefined && { note }), ...(voucher_code !== undefined && { voucher_code }) };
  return datedSteps(store.now(), [{ status: end, after_ms: store.readings.settle_after_ms, ...step }]);
}
