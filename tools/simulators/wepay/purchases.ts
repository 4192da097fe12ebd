import { type CallbackBehaviour, courseOf, honestRule, settleDelay } from '../common/rules.js';
import { refusalOf, totalOf } from './checks.js';
import { ACCEPTED, outcomeOf, SUCCEEDED } from './codes.js';
import { refusedAtGate } from './gate.js';
import { form } from './ledger.js';
import type { Company, Reply, Transaction } from './model.js';
import { accepted, idOf, refused } from './replies.js';
import type { WepayCall } from './requests.js';
import type { PlannedStep, Rule, Type } from './rules.js';
import type { Store } from './store.js';

const MINUTE_MS = 60_000;
const REPEATED = '30016';
const BALANCE_TOO_LOW = '30019';

/** Decides a purchase. */
export function purchase(store: Store, call: WepayCall, rule: Rule | undefined): Reply {
  const atGate = refusedAtGate(store, call) ?? store.account.code;
  if (atGate !== null) return refused(store, atGate);

  const honest = decide(store, call, honestRule(rule, 'code'));
  if (!rule?.answer_only || rule.code === undefined) return honest;
  // The vendor lies in its answer, but the decision stands.
  const { decision, transaction, warnings } = honest;
  const lie = refused(store, rule.code, {}, decision);
  return { ...lie, ...(transaction && { transaction }), ...(warnings && { warnings }) };
}

function decide(store: Store, call: WepayCall, rule: Rule | undefined): Reply {
  const { readings } = store;
  const known = remembered(store, call.ref_id ?? '');
  const warnings = known ? warningsOf(store, call, known) : [];
  const current = known && store.sentAgain(known);
  const ruled = rule?.code === ACCEPTED ? undefined : rule?.code;
  if (ruled !== undefined) return { ...refused(store, ruled), warnings };

  const isFirst = readings.reference_lookup === 'first';
  if (current && isFirst) return { ...repeated(store, current), warnings };
  const company = store.company(call.fields.type ?? '', call.fields.pay_to_company ?? '');
  const refusal = refusalOf(store, call) ?? company?.code ?? shortOf(store, call, company);
  // The code that a company has for each purchase may be an acceptance.
  if (refusal !== null && refusal !== ACCEPTED) return { ...refused(store, refusal), warnings };
  if (current) return { ...repeated(store, current), warnings };
  return accepted(store, formed(store, call, rule, company));
}

function repeated(store: Store, current: Transaction): Reply {
  const isReported = store.readings.duplicate_answer === 'with_transaction_id';
  const more = isReported ? { transaction_id: idOf(store, current.trx_id) } : {};
  return { ...refused(store, REPEATED, more, 'repeated'), transaction: current };
}

function shortOf(store: Store, call: WepayCall, company: Company | undefined): string | null {
  const total = company ? totalOf(company, call.fields.pay_to_amount ?? '') : 0;
  return total > store.account.available ? BALANCE_TOO_LOW : null;
}

function formed(
  store: Store,
  { fields, ref_id }: WepayCall,
  rule: Rule | undefined,
  company: Company | undefined,
): Transaction {
  const { pay_to_amount: amount = '', pay_to_ref1: ref1 = '', pay_to_ref2: ref2 = null } = fields;
  const order = {
    ref_id: ref_id ?? '',
    type: fields.type as Type,
    company: fields.pay_to_company ?? '',
    resp_url: fields.resp_url || null,
    total: company ? totalOf(company, amount) : 0,
    amount,
    ref1,
    ref2,
  };
  const { congested_settle_after_ms, settle_after_ms } = store.readings;
  const isCongested = (company?.congestion.length ?? 0) > 0;
  const after_ms = settleDelay(rule, isCongested ? congested_settle_after_ms : settle_after_ms);
  const ordinary = [{ status: SUCCEEDED, after_ms }];
  return form(store, order, courseOf<PlannedStep, CallbackBehaviour>(store.now(), rule, ordinary));
}

/** The purchase under a reference, if the vendor still remembers it. */
function remembered(store: Store, refId: string): Transaction | undefined {
  const { failed_reference, reference_memory_minutes: minutes } = store.readings;
  const latest = store.underReference(refId).at(-1);
  if (latest === undefined) return undefined;
  const isForgotten = minutes > 0 && store.now() - latest.made_at_ms > minutes * MINUTE_MS;
  const isReleased = failed_reference === 'released' && outcomeOf(latest) === 'failed';
  return isForgotten || isReleased ? undefined : latest;
}

function warningsOf(store: Store, call: WepayCall, known: Transaction): string[] {
  const { pay_to_amount, pay_to_company, pay_to_ref1 } = call.fields;
  const { amount, company, ref1 } = known;
  const isSame = pay_to_amount === amount && pay_to_company === company && pay_to_ref1 === ref1;
  const isSameBody = call.body === store.firstBodyOf('purchase', known.ref_id);
  return [
    ...(isSame ? [] : ['the reference is that of another purchase']),
    ...(isSameBody ? [] : ['the body is not that of the first send']),
  ];
}
