import { randomBytes } from 'node:crypto';
import { type Message, plannedCallbacks } from '../common/callbacks.js';
import type { Delivery } from '../common/model.js';
import { courseOf, shortened } from '../common/rules.js';
import { invalid, type Json } from '../common/shapes.js';
import type { Store as CommonStore } from '../common/store.js';
import type { Forged } from '../common/vendor.js';
import type { CallbackBehaviour, Charge, Kinds, OpnCall, Reply, Rule, State } from './model.js';

type Store = CommonStore<Kinds>;

/** S: the limits in satang. */
const [MIN_AMOUNT, MAX_AMOUNT] = [2_000, 15_000_000];
const MAX_LIST = 100;

export const refused = (http: number, code: string): Reply => ({
  http,
  body: { object: 'error', location: `https://www.omise.co/api-errors#${code}`, code, message: code },
  decision: 'refused',
  about: { code },
});

const answered = (body: Reply['body'], decision = 'answered', transaction?: Charge): Reply => {
  const reply = { http: 200, body, decision, about: { code: null } };
  return transaction ? { ...reply, transaction } : reply;
};

/** D: the answer to `GET /capability`, of an account that takes only PromptPay. */
export const CAPABILITY: Reply = answered({
  object: 'capability',
  location: '/capability',
  country: 'TH',
  banks: ['bbl', 'kbank', 'scb'],
  limits: { charge_amount: { min: MIN_AMOUNT, max: MAX_AMOUNT } },
  payment_methods: [{ object: 'payment_method', name: 'promptpay', currencies: ['THB'], banks: [] }],
  tokenization_methods: [],
  zero_interest_installments: false,
});

const newId = (kind: string, more = ''): string => `${kind}_test_${more}${randomBytes(8).toString('hex')}`;
const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);
const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');
/** A source has no state but its amount, which its id carries. */
const sourceId = (amount: number): string => newId('src', `${amount}x`);
const amountOfSource = (id: string): number => Number(/^src_test_(\d+)x/.exec(id)?.[1]);

/** Decides `POST /sources`. */
export function makeSource(store: Store, { fields }: OpnCall): Reply {
  const amount = Number(fields.amount);
  const isRight = Number.isSafeInteger(amount) && amount >= MIN_AMOUNT && amount <= MAX_AMOUNT;
  if (!isRight) return refused(400, 'invalid_amount');
  if (fields.type !== 'promptpay' || !isThai(fields)) return refused(400, 'bad_request');
  return answered(sourceView(sourceId(amount), store.now(), 'unknown'), 'accepted');
}

const isThai = ({ currency }: Json): boolean => typeof currency === 'string' && currency.toUpperCase() === 'THB';

/** Decides `POST /charges`. */
export function makeCharge(store: Store, call: OpnCall, rule: Rule | undefined): Reply {
  const { fields, host, idempotencyKey } = call;
  const { readings } = store;
  const charges = Array.from(store.transactions.values());
  const known = charges.find((each) => each.idempotency_key !== null && each.idempotency_key === idempotencyKey);
  if (known && readings.idempotency_key === 'honoured') {
    return answered(chargeView(known), 'repeated', store.sentAgain(known));
  }
  const source = typeof fields.source === 'string' ? fields.source : '';
  const amount = amountOfSource(source);
  if (Number.isNaN(amount)) return refused(404, 'not_found');
  // I: a source is charged once, with its own amount.
  if (charges.some((each) => each.source === source)) return refused(400, 'used_source');
  if (amount !== Number(fields.amount) || !isThai(fields)) return refused(400, 'invalid_amount');
  const wanted = timeOf(fields.expires_at);
  if (!Number.isNaN(wanted) && readings.expires_at === 'refused') return refused(400, 'invalid_expires_at');
  const isWanted = !Number.isNaN(wanted) && readings.expires_at === 'honoured';
  const expires_at_ms = isWanted ? wanted : store.now() + readings.lifetime_seconds * 1_000;
  const expiry = [{ status: 'expired', after_ms: Math.max(expires_at_ms - store.now(), 0) }] as const;
  const trx_id = newId('chrg');
  const course = courseOf<State & { after_ms: number }, CallbackBehaviour>(store.now(), rule, expiry);
  const names = { trx_id, ref_id: call.ref_id ?? trx_id, source, host, idempotency_key: idempotencyKey };
  const state = {
    status: 'pending',
    amount,
    refunded_amount: 0,
    expires_at_ms,
    paid_at_ms: null,
    refunded_at_ms: null,
  } as const;
  const metadata = (fields.metadata ?? {}) as Json;
  const charge: Charge = { ...course, ...store.begun(), ...names, ...state, metadata };
  const deliveries = readings.create_event === 'sent' ? planned(store, charge, 'charge.create', true) : [];
  store.commit({ transactions: [charge], deliveries });
  return answered(chargeView(charge), 'accepted', charge);
}

/** Decides the calls about one charge: `GET /charges/{id}`, its image, and `POST /charges/{id}/expire`. */
export function aboutCharge(store: Store, { call, id }: OpnCall): Reply {
  const charge = store.transactions.get(id);
  if (charge === undefined) return refused(404, 'not_found');
  if (call === 'image') return answered(imageOf(store, charge));
  if (call === 'retrieve') return answered(chargeView(charge));
  // I: only a pending charge can be ended.
  if (charge.status !== 'pending') return refused(400, 'invalid_charge');
  return answered(chargeView(move(store, { ...charge, steps: [] }, { status: 'expired' })));
}

/** Decides `GET /charges`. */
export function listCharges(store: Store, call: OpnCall, rule: Rule | undefined): Reply {
  const charges = Array.from(store.transactions.values());
  return listed('/charges', charges, ({ made_at_ms }) => made_at_ms, chargeView, call, rule);
}

/** Decides `GET /refunds`. I: a charge that is refunded again has one refund, of its whole sum. */
export function listRefunds(store: Store, call: OpnCall, rule: Rule | undefined): Reply {
  if (store.readings.refund_list === 'unknown') return refused(404, 'not_found');
  const refunded = Array.from(store.transactions.values()).filter(({ refunded_at_ms }) => refunded_at_ms !== null);
  return listed('/refunds', refunded, ({ refunded_at_ms }) => refunded_at_ms ?? 0, refundView, call, rule);
}

function listed(
  location: string,
  all: Charge[],
  madeMs: (charge: Charge) => number,
  view: (charge: Charge) => Json,
  { fields }: OpnCall,
  rule: Rule | undefined,
): Reply {
  const [limit, offset] = [Math.min(Number(fields.limit ?? 20), MAX_LIST), Number(fields.offset ?? 0)];
  const [from, to] = [timeOf(fields.from), timeOf(fields.to)];
  const found = all.filter((each) => !(madeMs(each) < from) && !(madeMs(each) > to));
  if (fields.order === 'reverse_chronological') found.reverse();
  const data = shortened(found.slice(offset, offset + limit), rule).map(view);
  return answered({ object: 'list', data, limit, offset, total: found.length, location });
}

/** Moves a charge to another state, and plans the webhooks about it. */
export function move(store: Store, before: Charge, state: State): Charge {
  const isPaid = state.status === 'successful';
  if (isPaid && before.status === 'expired' && store.readings.expired_code === 'refused') {
    throw invalid('the code has expired, and cannot be paid');
  }
  const moved = { ...before, ...state };
  const after: Charge = {
    ...moved,
    debited: isPaid ? moved.refunded_amount - moved.amount : 0,
    ever_succeeded: before.ever_succeeded || isPaid,
    paid_at_ms: before.paid_at_ms ?? (isPaid ? store.now() : null),
    refunded_at_ms: moved.refunded_amount > before.refunded_amount ? store.now() : before.refunded_at_ms,
    steps: isPaid ? before.steps.filter(({ status }) => status !== 'expired') : before.steps,
  };
  store.commitMove(before, after, { deliveries: planned(store, after, eventOf(store, before, after), false) });
  return after;
}

function eventOf({ readings }: Store, before: Charge, { refunded_amount, status }: Charge): string {
  if (refunded_amount > before.refunded_amount) return 'refund.create';
  if (status === 'expired') return readings.expire_event;
  return status === 'reversed' ? 'charge.reverse' : 'charge.complete';
}

function planned(store: Store, charge: Charge, event: string, isFirst: boolean): Delivery[] {
  const { webhook_url: url } = store.account;
  if (url === null || event === 'none' || charge.callback.mode === 'never') return [];
  return plannedCallbacks(store, charge, { ...messageOf(store, charge, { ...charge.callback, event }), url }, isFirst);
}

/** A webhook about a charge. Its header says how to sign it when it is sent. */
export function messageOf(store: Store, charge: Charge, wanted: Forged<CallbackBehaviour>): Omit<Message, 'url'> {
  const { event: key = 'charge.complete', set, signature = 'right' } = wanted;
  const id = newId('evnt');
  const data = { ...(key.startsWith('refund.') ? refundView(charge) : chargeView(charge)), ...set };
  const body = JSON.stringify({ object: 'event', id, livemode: false, key, created_at: iso(store.now()), data });
  return { headers: { 'Content-Type': 'application/json', 'Omise-Signature': signature }, body };
}

function sourceView(id: string, madeMs: number, charge_status: string): Json {
  const about = { object: 'source', id, livemode: false, location: `/sources/${id}`, amount: amountOfSource(id) };
  return { ...about, currency: 'THB', flow: 'offline', type: 'promptpay', charge_status, created_at: iso(madeMs) };
}

/** C: the members of a charge. */
export function chargeView(charge: Charge): Json {
  const { amount, made_at_ms, metadata, paid_at_ms, refunded_amount, status, trx_id: id } = charge;
  const location = `/charges/${id}/documents/${id.replace('chrg', 'docu')}`;
  const download_uri = `http://${charge.host}${location}/downloads/1`;
  const image = { object: 'document', filename: 'qrcode.svg', kind: 'qr', location, download_uri };
  const scannable_code = { object: 'barcode', type: 'qr', image };
  const about = {
    object: 'charge',
    id,
    location: `/charges/${id}`,
    livemode: false,
    currency: 'THB',
    failure_code: null,
  };
  const paid = status === 'successful';
  const states = { status, paid, expired: status === 'expired', reversed: status === 'reversed' };
  const paid_at = paid_at_ms && iso(paid_at_ms);
  const times = { created_at: iso(made_at_ms), paid_at, expires_at: iso(charge.expires_at_ms) };
  const source = { ...sourceView(charge.source, made_at_ms, status), scannable_code };
  return { ...about, amount, refunded_amount, metadata, ...states, ...times, source };
}

const refundView = ({ refunded_amount: amount, trx_id: charge }: Charge): Json => {
  return { object: 'refund', id: newId('rfnd'), livemode: false, charge, amount, currency: 'THB' };
};

function imageOf({ readings }: Store, { trx_id }: Charge): string {
  const [head, foot] = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><desc>', '</desc></svg>'];
  return head + trx_id.padEnd(readings.image_bytes - head.length - foot.length, ' ') + foot;
}
