import { parseSignedMicros } from '../../core/cost-money.js';
import type { SupplierBalance, Unavailable } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { asMembers, textOf, type Members } from '../adapter-answers.js';
import { RESPONSE_CODES } from './response-codes.js';

export const CURRENCY = 'IDR';

/** The `data` of an answer or a callback; undefined if there is none. */
export const dataOf = (body: unknown): Members | undefined => asMembers(asMembers(body)?.data);

/** The response code; undefined if the answer has none, or the supplier did not write the answer. */
export function codeOf({ status, body }: HttpAnswer): string | undefined {
  if (!isReadable(status)) return undefined;
  const code = textOf(asMembers(body)?.code) ?? '';
  return /^[A-Z_]{1,64}$/.test(code) ? code : undefined;
}

/** Whether the supplier itself wrote the body of an answer with this HTTP status. It refuses with 4xx. */
const isReadable = (status: number): boolean => isGood(status) || (status >= 400 && status < 500);

export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Whether the supplier refuses our key or our address, by the response code or the HTTP status. */
export const refusesUs = (answer: HttpAnswer): boolean => answer.status === 401 || codeOf(answer) === 'UNAUTHORIZED';

/** A response code in words. */
export const codeInWords = (code: string): string => {
  const label = RESPONSE_CODES.get(code)?.label;
  return label === undefined ? code : `${label} (${code})`;
};

/** An answer in words: its response code, or else the HTTP status of a failure. */
export function answerInWords(answer: HttpAnswer): string {
  const code = codeOf(answer);
  if (code !== undefined) return codeInWords(code);
  return isGood(answer.status) ? 'the answer can’t be read' : `HTTP ${answer.status}`;
}

/** Reads our balance from an answer to `GET /api/balance`. */
export function readBalance(answer: HttpAnswer): SupplierBalance {
  const balance = textOf(dataOf(answer.body)?.balance) ?? '';
  const micros = isSuccess(answer) ? parseSignedMicros(balance) : null;
  return micros === null ? unavailable(answer) : { known: true, amount: { micros, currency: CURRENCY } };
}

export const isSuccess = (answer: HttpAnswer): boolean => isGood(answer.status) && codeOf(answer) === 'SUCCESS';

/** The result for an answer without the expected balance or products. */
export function unavailable(answer: HttpAnswer): Unavailable {
  const detail = isSuccess(answer) ? 'the answer can’t be read' : answerInWords(answer);
  return { known: false, detail, offersNone: false, ...faultOf(answer) };
}

function faultOf(answer: HttpAnswer): Pick<Unavailable, 'fault'> {
  if (refusesUs(answer)) return { fault: 'credentials' };
  return answer.status === 429 ? { fault: 'rate' } : {};
}
