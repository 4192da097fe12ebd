import { unitsOf } from '../common/amounts.js';
import { formText } from '../common/form.js';
import { shortened } from '../common/rules.js';
import type { Json } from '../common/shapes.js';
import { cardFields } from './callbacks.js';
import { asSent } from './checks.js';
import { outcomeOf } from './codes.js';
import { refusedAtGate } from './gate.js';
import type { Company, Reply } from './model.js';
import { amountOf, DIGITS, refused, answered } from './replies.js';
import type { WepayCall } from './requests.js';
import type { Rule, Type } from './rules.js';
import type { Store } from './store.js';

const REF_COUNT = 6;

/** Decides `type=get_output`. */
export function answerOutput(store: Store, call: WepayCall, rule: Rule | undefined): Reply {
  const refusal = refusedAtGate(store, call) ?? rule?.code;
  if (refusal !== undefined) return refused(store, refusal);
  const id = call.about.transaction_id ?? '';
  if (!/^\d+$/.test(id)) return refused(store, '30002');
  const transaction = store.transactions.get(id);
  if (transaction === undefined) return refused(store, '30003');
  const { operator_trxnsid, ref_id, status } = transaction;
  const isOpen = outcomeOf(transaction) === 'pending';
  if (isOpen && store.readings.pending_output === '30004') return refused(store, '30004', {}, 'told');
  const output = {
    transaction_id: id,
    status,
    dest_ref: ref_id,
    ...(operator_trxnsid !== '' && { operator_trxnsid }),
    ...cardFields(transaction, store.readings.pin_in_output),
  };
  return { ...answered({ output: formText(output) }), transaction };
}

/** Decides `type=balance_inquiry`. I: the ledger balance includes amounts that are not settled. */
export function answerBalance(store: Store, call: WepayCall, rule: Rule | undefined): Reply {
  const refusal = refusedAtGate(store, call) ?? rule?.code;
  if (refusal !== undefined) return refused(store, refusal);
  const { available } = store.account;
  const open = Array.from(store.transactions.values()).filter((each) => outcomeOf(each) === 'pending');
  const held = open.reduce((sum, { debited }) => sum + debited, 0);
  return answered({
    ledger_balance: amountOf(store, available + held),
    available_balance: amountOf(store, available),
  });
}

/** Decides `payee_info=true`. */
export function answerPayee(store: Store, call: WepayCall, rule: Rule | undefined): Reply {
  const refusal = refusedAtGate(store, call) ?? rule?.code;
  if (refusal !== undefined) return refused(store, refusal);
  const { company: id, type } = call.about;
  const company = store.company(type ?? '', id ?? '');
  if (company === undefined) return refused(store, '30001');
  const { denomination, discount, fee, sof_max, sof_min } = company;
  const title = (n: number): string => (n === 1 ? 'User ID' : '');
  const refs = Array.from({ length: REF_COUNT }, (_, index) => [
    `ref${index + 1}`,
    { title: title(index + 1), min_length: index === 0 ? 1 : 0, max_length: index === 0 ? 30 : 0 },
  ]);
  return answered({
    discount,
    fee,
    sof_min,
    sof_max,
    sof_defined_amounts: denomination.map(({ price }) => price),
    ...(Object.fromEntries(refs) as Json),
  });
}

/** Decides the catalogue export, which needs no account. */
export function answerCatalogue(store: Store, _call: WepayCall, rule: Rule | undefined): Reply {
  if (rule?.code !== undefined) return refused(store, rule.code);
  const items = (type: Type): Json[] => {
    return shortened(store.ofType(type), rule).map((company) => itemOf(store, company));
  };
  const data = {
    mtopup: items('mtopup'),
    cashcard: items('cashcard'),
    gtopup: items('gtopup'),
    billpay: items('billpay'),
  };
  return { http: 200, data: { data }, decision: 'told', about: { code: null } };
}

/** D: a company in the export. */
function itemOf(store: Store, company: Company): Json {
  const { company_id, company_name, congestion, fee, gameservers, refs_format, refundable } = company;
  const denomination = company.denomination.map(({ price, description }) => {
    const satang = unitsOf(price, DIGITS) ?? 0;
    return { price: store.readings.catalogue_price === 'text' ? asSent(satang) : Number(price), description };
  });
  return {
    company_id,
    company_name,
    fee: Number(fee),
    denomination,
    congestion,
    gameservers,
    refs_format,
    refundable,
  };
}
