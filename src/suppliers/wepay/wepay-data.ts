import { parseExactJson } from '../../core/exact-json.js';
import { parseSignedMicros, type CostMoney } from '../../core/cost-money.js';
import type { SupplierBalance, Unavailable } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../adapter-http.js';
import type { Fault, UnknownOutcome } from '../supplier-outcome.js';
import { amountOf, asMembers, textOf, type Members } from '../adapter-answers.js';
import { ACCEPTED, RESPONSE_CODES } from './response-codes.js';

export const CURRENCY = 'THB';

/** Reads an answer as JSON. Other text is returned unchanged, because it may say that access is denied. */
export const parseAnswer = (text: string): unknown => parseExactJson(text) ?? text;

/** An answer with a code of five digits. */
export interface CodedAnswer {
  code: string;
  members: Members;
}

/** Undefined if the supplier's API did not write the answer: an HTTP status other than 200, no JSON, or no code. */
export function readCoded({ status, body }: HttpAnswer): CodedAnswer | undefined {
  const members = status === 200 ? asMembers(body) : undefined;
  const code = textOf(members?.code) ?? '';
  return members && /^\d{1,5}$/.test(code) ? { code: code.padStart(5, '0'), members } : undefined;
}

/** A code in words. */
export const codeInWords = (code: string): string => {
  const label = RESPONSE_CODES.get(code)?.label;
  return label === undefined ? code : `${code}: ${label}`;
};

/** The outcome of an answer without a code. The answer may still show a fault. */
export function uncoded(answer: HttpAnswer): UnknownOutcome {
  const fault = faultOf(answer);
  return { kind: 'unknown', detail: inWords(answer), ...(fault && { fault }), ...requestedWait(answer) };
}

/** The fault that a code shows in the answer to any request. */
export function faultOfCode(code: string): Fault | undefined {
  const meaning = RESPONSE_CODES.get(code)?.meaning;
  return meaning?.kind === 'not_accepted' ? meaning.fault : undefined;
}

/** An amount in baht; null if it can't be read. */
export const baht = (member: unknown): CostMoney | null => amountOf(member, CURRENCY);

/** Reads our balance from an answer to `type=balance_inquiry`. */
export function readBalance(answer: HttpAnswer): SupplierBalance {
  const coded = readCoded(answer);
  const micros = coded?.code === ACCEPTED ? parseSignedMicros(textOf(coded.members.available_balance) ?? '') : null;
  return micros === null ? unavailable(answer) : { known: true, amount: { micros, currency: CURRENCY } };
}

/** The result for an answer without the expected balance or catalogue. */
export function unavailable(answer: HttpAnswer): Unavailable {
  const coded = readCoded(answer);
  const fault = coded ? faultOfCode(coded.code) : faultOf(answer);
  const isKnown = fault === 'credentials' || fault === 'rate';
  const detail = coded && coded.code !== ACCEPTED ? codeInWords(coded.code) : inWords(answer);
  return { known: false, detail, offersNone: false, ...(isKnown && { fault }) };
}

const ACCESS_DENIED = /access denied/i;

function faultOf({ status, body }: HttpAnswer): 'credentials' | 'rate' | undefined {
  if (status === 429) return 'rate';
  const isDenied = typeof body === 'string' && ACCESS_DENIED.test(body);
  return status === 401 || isDenied ? 'credentials' : undefined;
}

function inWords(answer: HttpAnswer): string {
  const words = answer.status === 200 ? 'the answer can’t be read' : `HTTP ${answer.status}`;
  return faultOf(answer) === 'credentials' ? `${words}: access denied` : words;
}
