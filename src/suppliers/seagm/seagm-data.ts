import type { CostMoney } from '../../core/cost-money.js';
import { parseSignedMicros } from '../../core/cost-money.js';
import type { SupplierBalance, Unavailable } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../adapter-http.js';
import type { Fault } from '../supplier-outcome.js';
import { amountOf, asMembers, shownText, textOf, type Members } from '../adapter-answers.js';

/** Codes of successful answers. SEAGM's documents contradict each other about the code, and other clients accept all three. */
const GOOD_CODES = ['200', '2000', '2010'];
/** How long to wait after a refusal for too many requests, unless the supplier asks for longer. */
const RATE_WAIT_MS = 10_000;
/** The duration of the shortest ban, according to the supplier's documents. */
const BAN_MS = 120_000;

/** Faults on our side, by the codes in `code` or `info_code`. */
const FAULTS: Record<string, readonly [fault: Fault, words: string]> = {
  401: ['credentials', 'it does not know our uid'],
  1002: ['credentials', 'it does not accept our account'],
  1022: ['credentials', 'it does not accept our signature'],
  1021: ['credentials', 'our clock differs from its clock: it does not accept the time of the request'],
  1024: ['credentials', 'our clock differs from its clock: it does not accept the time of the request'],
  406: ['deposit', 'our credit is not enough'],
  429: ['rate', 'too many requests'],
  1003: ['rate', 'too many requests'],
  1015: ['rate', 'too many requests'],
  418: ['ban', 'our address is banned for too many requests'],
};

/** HTTP statuses that show a fault. A known code of a fault in the body has precedence. */
const FAULTY_STATUSES = [401, 406, 418, 429];

/** Whether the answer is a success. */
export const isGood = ({ status, body }: HttpAnswer): boolean =>
  status >= 200 && status < 300 && GOOD_CODES.includes(codeOf(body) ?? '');

/** Whether the answer is an error of the server, by HTTP or by the supplier's code. The server may have made the purchase. */
export const isServersError = ({ status, body }: HttpAnswer): boolean =>
  status >= 500 || /^5\d\d$/.test(codeOf(body) ?? '');

/** Whether the supplier itself reports "not found". An answer without its code, such as a gateway's, does not count. */
export const isNotFound = (answer: HttpAnswer): boolean =>
  codeOf(answer.body) === '404' && !isServersError(answer) && faultOf(answer).fault === undefined;

const codeOf = (body: unknown): string | undefined => textOf(asMembers(body)?.code);

const infoOf = (body: unknown): Members => asMembers(asMembers(body)?.error_info) ?? {};

/** The more precise code of an error; undefined if there is none. */
export const infoCodeOf = ({ body }: HttpAnswer): string | undefined => textOf(infoOf(body).info_code);

/** The `data` of an answer; undefined if there is none. */
export const dataOf = ({ body }: HttpAnswer): unknown => asMembers(body)?.data;

/** The fault on our side that an answer shows, and the wait that the answer or the fault requires, if any. */
export function faultOf(answer: HttpAnswer): { fault?: Fault; retryAfterMs?: number } {
  const fault = FAULTS[faultCodeOf(answer) ?? '']?.[0];
  if (fault === undefined) return requestedWait(answer);
  const wait = requestedWait(answer);
  const minMs = fault === 'rate' ? RATE_WAIT_MS : fault === 'ban' ? BAN_MS : 0;
  return { fault, ...wait, ...(minMs > 0 && { retryAfterMs: Math.max(wait.retryAfterMs ?? 0, minMs) }) };
}

/** The code of a fault on our side; undefined if there is none, as in an error of the server. */
function faultCodeOf(answer: HttpAnswer): string | undefined {
  const { status, body } = answer;
  if (isServersError(answer)) return undefined;
  const codes = [infoCodeOf(answer), codeOf(body)];
  const known = codes.find((code) => code !== undefined && Object.hasOwn(FAULTS, code));
  return known ?? (FAULTY_STATUSES.includes(status) ? `${status}` : undefined);
}

/** An answer in words: the fault on our side, or else the answer's codes. */
export function answerInWords(answer: HttpAnswer): string {
  const { status, body } = answer;
  const fault = faultCodeOf(answer);
  const words = fault === undefined ? undefined : FAULTS[fault]?.[1];
  if (words !== undefined) return `${words} (${fault})`;
  if (isGood(answer)) return 'the answer can’t be read';
  const codes = [codeOf(body), infoCodeOf(answer)].filter((code) => code !== undefined && /^\d{1,9}$/.test(code));
  return codes.length === 0 ? `HTTP ${status}` : `HTTP ${status}, code ${codes.join(', info_code ')}`;
}

/** The supplier's message about an error, for people. */
export const messageOf = ({ body }: HttpAnswer): string =>
  shownText(infoOf(body).info_message) || shownText(asMembers(body)?.msg);

/** An amount with the currency beside it; null if either can't be read. */
export function moneyOf(amount: unknown, currency: unknown): CostMoney | null {
  const code = textOf(currency) ?? '';
  return /^[A-Z]{3}$/.test(code) ? amountOf(amount, code) : null;
}

/** Reads our balance from an answer to `GET /v1/me`. */
export function readBalance(answer: HttpAnswer): SupplierBalance {
  const me = isGood(answer) ? asMembers(dataOf(answer)) : undefined;
  const micros = parseSignedMicros(textOf(me?.balance) ?? textOf(me?.credits) ?? '');
  const currency = textOf(me?.currency) ?? '';
  if (micros === null || !/^[A-Z]{3}$/.test(currency)) return unavailable(answer);
  return { known: true, amount: { micros, currency } };
}

/** The result for an answer without the expected balance or products. */
export function unavailable(answer: HttpAnswer): Unavailable {
  const { fault } = faultOf(answer);
  const shown = fault === 'credentials' || fault === 'rate' || fault === 'ban' ? { fault } : {};
  return { known: false, detail: answerInWords(answer), offersNone: false, ...shown };
}
