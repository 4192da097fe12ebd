import { createHmac, timingSafeEqual } from 'node:crypto';
import { JsonNumber } from '../../../core/exact-json.js';
import { asList, asMembers, shownText, unreadable, type Members } from '../../../suppliers/adapter-answers.js';
import type { RawCallback } from '../../../suppliers/supplier-adapter.js';
import { parseJson, type HttpAnswer } from '../../../suppliers/adapter-http.js';
import type { ChannelCallback, NoAnswer, PaymentReading, PaymentsPage } from '../channel-adapter.js';

const MAX_CALLBACK_AGE_MS = 5 * 60_000;
const CHARGE_ID = /^chrg_\w{1,100}$/;

/** Whole satang, as the JSON writes them. */
const satangOf = (value: unknown): bigint | null =>
  value instanceof JsonNumber && /^\d{1,15}$/.test(value.text) ? BigInt(value.text) : null;

export const idOf = (value: unknown): string | null =>
  typeof value === 'string' && CHARGE_ID.test(value) ? value : null;

export const momentOf = (value: unknown): Date | null => {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? null : new Date(ms);
};

/** An answer without the payment or the list that was requested. */
export function unknown({ status, body }: HttpAnswer, detail?: string): NoAnswer {
  const { code, message } = asMembers(body) ?? {};
  const words = detail ?? ([shownText(code), shownText(message)].filter(Boolean).join(': ') || 'no JSON of the API');
  const fault = faultOf(status);
  return { kind: 'unknown', detail: `HTTP ${status}, ${words}`, ...(fault && { fault }) };
}

function faultOf(status: number): NoAnswer['fault'] {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 429) return 'rate';
  return status >= 400 && status < 500 ? 'configuration' : undefined;
}

/** The object of a kind in an answer; null for any other answer. */
export function objectIn({ status, body }: HttpAnswer, object: string): Members | null {
  const members = status === 200 ? asMembers(body) : undefined;
  return members?.object === object ? members : null;
}

/**
 * Reads a charge.
 * @param isLive whether our keys move real money. @param now the time of the payment, if the charge does not name it.
 */
export function readCharge(charge: Members, id: string, isLive: boolean, now: Date): PaymentReading {
  const { object, status, livemode, paid } = charge;
  if (object !== 'charge' || charge.id !== id) return { kind: 'unknown', detail: `it is not the charge ${id}` };
  if (livemode !== isLive)
    return { kind: 'unknown', detail: `charge ${id} is of the other mode, live or test`, fault: 'configuration' };
  if (status === 'reversed') return { kind: 'reversed' };
  if (status === 'successful' && paid === true) return readPaid(charge, id, now);
  if (paid !== true && status === 'pending') return { kind: 'open' };
  if (paid !== true && (status === 'failed' || status === 'expired')) return { kind: 'ended' };
  return {
    kind: 'unknown',
    detail: `charge ${id} has the status ${shownText(status)}, and is ${paid === true ? 'paid' : 'not paid'}`,
  };
}

function readPaid(charge: Members, chargeRef: string, now: Date): PaymentReading {
  const [amount, refunded] = [satangOf(charge.amount), satangOf(charge.refunded_amount)];
  const currency = typeof charge.currency === 'string' ? charge.currency.toUpperCase() : '';
  if (!amount || refunded === null || !/^[A-Z]{3}$/.test(currency))
    return { kind: 'unknown', detail: `charge ${chargeRef} has amounts that can't be read` };
  const { deposit, merchant } = asMembers(charge.metadata) ?? {};
  const references = typeof deposit === 'string' ? [deposit] : [];
  const merchantId = typeof merchant === 'string' && /^\d{1,9}$/.test(merchant) ? Number(merchant) : null;
  const paidAt = momentOf(charge.paid_at) ?? now;
  return { kind: 'paid', payment: { chargeRef, amount, currency, paidAt, references, merchantId, refunded } };
}

/** A page of refunds: the charges that they refund. `nameless`: the places of refunds that name no charge. */
export interface RefundsPage {
  kind: 'refunds';
  charges: string[];
  nameless: string[];
  /** The offset of the next page; null on the last one. */
  next: string | null;
}

/** The reading of a list's entry that has no id of a charge. */
export const NAMELESS: PaymentReading = { kind: 'unknown', detail: 'it has no id of a charge' };

/**
 * Reads a page of charges. A charge without an id is named by its place in the list.
 * @param offset the number of charges before the page.
 */
export function readList(answer: HttpAnswer, offset: number, isLive: boolean, now: Date): PaymentsPage | NoAnswer {
  const page = readPage(answer, offset);
  if ('kind' in page) return page;
  const payments = page.data.map((charge, index) => {
    const id = idOf(charge.id);
    if (id === null) return { paymentId: `entry ${offset + index + 1}`, reading: NAMELESS };
    return { paymentId: id, reading: readCharge(charge, id, isLive, now) };
  });
  return { kind: 'page', payments, next: page.next };
}

/** Reads a page of refunds. @param offset the number of refunds before the page. */
export function readRefunds(answer: HttpAnswer, offset: number): RefundsPage | NoAnswer {
  const page = readPage(answer, offset);
  if ('kind' in page) return page;
  const ids = page.data.map(({ charge }) => idOf(asMembers(charge)?.id ?? charge));
  const charges = [...new Set(ids.filter((id) => id !== null))];
  const nameless = ids.flatMap((id, index) => (id === null ? [`refund ${offset + index + 1}`] : []));
  return { kind: 'refunds', charges, nameless, next: page.next };
}

function readPage(answer: HttpAnswer, offset: number): { data: Members[]; next: string | null } | NoAnswer {
  const list = objectIn(answer, 'list');
  const total = satangOf(list?.total);
  if (!list || total === null) return unknown(answer, list ? 'a list without a total' : undefined);
  const data = asList(list.data).map((each) => asMembers(each) ?? {});
  const next = offset + data.length;
  if (data.length === 0 && next < total) return unknown(answer, 'a list that lacks entries');
  return { data, next: next < total ? String(next) : null };
}

/** Reads an event. @param secret of the webhook; null if its signature can't be checked. */
export function readCallback(raw: RawCallback, secret: string | null): ChannelCallback {
  const problem = secret === null ? null : signatureProblem(raw, secret);
  if (problem !== null) return { kind: 'refused', detail: problem };
  const event = asMembers(parseJson(raw.body.toString('utf8')));
  if (event?.object !== 'event') return unreadable('it is no event');
  // A charge that was just made is not paid, and its deposit has its own inquiries anyway.
  if (event.key === 'charge.create') return { kind: 'ping' };
  const data = asMembers(event.data) ?? {};
  const id = data.object === 'charge' ? data.id : data.charge;
  if (id === undefined) return { kind: 'ping' };
  const paymentId = idOf(id);
  return paymentId === null ? unreadable('it names no charge') : { kind: 'about', paymentId };
}

/**
 * Why a callback does not prove that it comes from Opn; null if it does. For a while after an operator replaced the
 * secret, Opn signs with the earlier and the new one.
 */
function signatureProblem({ headers, body, receivedAt }: RawCallback, secret: string): string | null {
  const { 'omise-signature': signatures = '', 'omise-signature-timestamp': timestamp = '' } = headers;
  const signed = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.`).update(body).digest();
  const isSigned = signatures.split(',').some((each) => {
    const sent = Buffer.from(each.trim(), 'hex');
    return sent.length === signed.length && timingSafeEqual(sent, signed);
  });
  if (!isSigned) return 'its signature is wrong';
  const isRecent = Math.abs(receivedAt.getTime() - Number(timestamp) * 1_000) <= MAX_CALLBACK_AGE_MS;
  return isRecent ? null : 'its timestamp is more than 5 minutes off';
}
