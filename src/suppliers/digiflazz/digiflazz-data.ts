import { parseSignedMicros, type CostMoney } from '../../core/cost-money.js';
import type { SupplierBalance, Unavailable } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { amountOf, asMembers, textOf, type Members } from '../adapter-answers.js';
import { RESPONSE_CODES } from './response-codes.js';

export const CURRENCY = 'IDR';

/** The `data` of an answer or a callback; undefined if there is none. */
export function dataOf(body: unknown): unknown {
  return asMembers(body)?.data;
}

/** The response code as two digits; undefined if there is none. */
export function responseCodeOf({ rc }: Members): string | undefined {
  const text = textOf(rc) ?? '';
  return /^\d{1,2}$/.test(text) ? text.padStart(2, '0') : undefined;
}

/** A price in rupiah, with or without decimals; null if it can't be read. */
export const rupiah = (value: unknown): CostMoney | null => amountOf(value, CURRENCY);

/** A response code in words. */
export const codeInWords = (rc: string): string => {
  const label = RESPONSE_CODES.get(rc)?.label;
  return label === undefined ? `rc ${rc}` : `rc ${rc}: ${label}`;
};

/** Reads our balance from an answer to `POST /cek-saldo`. */
export function readBalance(answer: HttpAnswer): SupplierBalance {
  const deposit = textOf(asMembers(dataOf(answer.body))?.deposit) ?? '';
  const micros = answer.status === 200 ? parseSignedMicros(deposit) : null;
  return micros === null ? unavailable(answer) : { known: true, amount: { micros, currency: CURRENCY } };
}

/** The reason why an answer lacks the queried balance or price list. */
export function unavailable(answer: HttpAnswer): Unavailable {
  const members = asMembers(dataOf(answer.body));
  const rc = members && responseCodeOf(members);
  if (rc === undefined) {
    const isTooOften = answer.status === 429;
    const detail = answer.status === 200 ? 'the answer can’t be read' : `HTTP ${answer.status}`;
    return { known: false, detail, offersNone: false, ...(isTooOften && { fault: 'rate' as const }) };
  }
  return { known: false, detail: codeInWords(rc), offersNone: false, ...faultOf(rc) };
}

/** The code for too many requests of the price list. No other call gets this code. */
const PRICE_LIST_LIMITED = '83';

function faultOf(rc: string): Pick<Unavailable, 'fault'> {
  if (rc === PRICE_LIST_LIMITED) return { fault: 'rate' };
  const meaning = RESPONSE_CODES.get(rc)?.meaning;
  return meaning?.kind === 'not_accepted' && meaning.fault === 'credentials' ? { fault: 'credentials' } : {};
}
