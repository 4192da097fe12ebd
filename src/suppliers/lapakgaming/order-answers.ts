import { failure } from '../../core/failures.js';
import { printable } from '../../core/text.js';
import type { Attempt, NamedAttempt } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../adapter-http.js';
import type { UnitDelivery, SupplierOutcome } from '../supplier-outcome.js';
import {
  amountOf,
  asList,
  asMembers,
  isOther,
  nameOf,
  shownText,
  textOf,
  type CodeMeaning,
  type Members,
} from '../adapter-answers.js';
import { answerInWords, codeOf, CURRENCY, dataOf, isGood, isSuccess, refusesUs } from './lapakgaming-data.js';
import { RESPONSE_CODES } from './response-codes.js';

/** The supplier limits requests per 10 seconds. */
const RATE_WINDOW_MS = 10_000;

type Unknown = Extract<SupplierOutcome, { kind: 'unknown' }>;

/**
 * The outcome of an answer to `POST /api/order`. A refusal of a repeat says nothing about the first send: the supplier may have
 * refused before it looked up our reference.
 */
export function readOrderAnswer(answer: HttpAnswer, { isRepeat }: Pick<Attempt, 'isRepeat'>): SupplierOutcome {
  const meaning = meaningOf(answer);
  const doubt = undecided(answer, meaning);
  switch (meaning.kind) {
    case 'processing':
      return isGood(answer.status) ? accepted(dataOf(answer.body)) : doubt;
    case 'failed': {
      if (isRepeat) return doubt;
      const message = answerInWords(answer);
      const { code, failover, isPriceRefused } = meaning;
      return {
        kind: 'failed',
        ...failure(code, message),
        failover,
        ...(isPriceRefused && { isPriceRefused }),
      };
    }
    case 'not_accepted':
      return isRepeat ? doubt : { ...doubt, kind: 'not_accepted', fault: meaning.fault };
    case 'unknown':
      return doubt;
  }
}

/** The outcome of an answer to `GET /api/order_status` for the queried attempt. */
export function readOrderStatus(answer: HttpAnswer, attempt: NamedAttempt): SupplierOutcome {
  const isByOurReference = attempt.supplierReference === null;
  if (codeOf(answer) === 'TID_NOT_FOUND' && isByOurReference) return { kind: 'never_seen' };
  const data = isSuccess(answer) ? dataOf(answer.body) : undefined;
  if (!data) return undecided(answer, meaningOf(answer));
  if (isOther(data.reference_id, attempt.reference) || isOther(data.tid, attempt.supplierReference))
    return { kind: 'unknown', detail: 'reference collision: the answer is about another order' };
  const outcome = readStatus(data);
  const supplierReference = nameOf(data.tid);
  return outcome.kind === 'failed' || supplierReference === undefined ? outcome : { ...outcome, supplierReference };
}

function meaningOf(answer: HttpAnswer): CodeMeaning {
  if (answer.status === 429) return { kind: 'not_accepted', fault: 'rate' };
  if (refusesUs(answer)) return { kind: 'not_accepted', fault: 'credentials' };
  return RESPONSE_CODES.get(codeOf(answer) ?? '')?.meaning ?? { kind: 'unknown' };
}

/** The outcome of an answer that decides nothing. The answer may still show a fault on our side. */
function undecided(answer: HttpAnswer, meaning: CodeMeaning): Unknown {
  const wait = requestedWait(answer);
  if (answer.status === 429) wait.retryAfterMs = Math.max(wait.retryAfterMs ?? 0, RATE_WINDOW_MS);
  // The supplier may answer a repeated reference with the code NOT_ALLOWED. So this code proves no wrong configuration.
  const isOurs = meaning.kind === 'not_accepted' && meaning.fault !== 'configuration';
  const fault = isOurs ? { fault: meaning.fault } : {};
  return { kind: 'unknown', detail: doubtInWords(answer), ...fault, ...wait };
}

function doubtInWords(answer: HttpAnswer): string {
  const code = codeOf(answer);
  const words = answerInWords(answer);
  return code === 'SUCCESS' ? `${words}, which can’t be read (HTTP ${answer.status})` : words;
}

/** The supplier has accepted the order, but not delivered it yet: inquiries follow. */
function accepted(data: Members | undefined): SupplierOutcome {
  const supplierReference = nameOf(data?.tid);
  const cost = amountOf(data?.total_price, CURRENCY);
  return {
    kind: 'processing',
    ...(supplierReference !== undefined && { supplierReference }),
    ...(cost && { cost }),
  };
}

/** An order has ended only when the supplier has delivered, or refunded, all parts of the order. */
function readStatus(data: Members): Exclude<SupplierOutcome, { kind: 'not_accepted' | 'never_seen' }> {
  const transactions = asList(data.transactions).map(asMembers);
  const all = (status: string): boolean => transactions.every((each) => statusOf(each) === status);
  const any = (status: string): boolean => transactions.some((each) => statusOf(each) === status);
  switch (statusOf(data)) {
    case 'PENDING':
      return { kind: 'processing' };
    case 'SUCCESS': {
      if (any('REFUNDED')) return contradiction('SUCCESS', 'REFUNDED');
      if (transactions.length === 0 || !all('SUCCESS')) return { kind: 'processing' };
      const deliveries = transactions.flatMap((each) => deliveryOf(each ?? {}));
      return { kind: 'succeeded', supplierReference: null, ...(deliveries.length > 0 && { deliveries }) };
    }
    case 'REFUNDED':
      if (!all('REFUNDED')) return contradiction('REFUNDED', 'another status');
      return {
        kind: 'failed',
        ...failure('SUPPLIER_REJECTED', refundInWords(transactions)),
        failover: true,
      };
    default:
      return { kind: 'unknown', detail: 'the status of the order is not documented' };
  }
}

const statusOf = (members: Members | undefined): string => (textOf(members?.status) ?? '').toUpperCase();

const contradiction = (order: string, part: string): Unknown => ({
  kind: 'unknown',
  detail: `the order is ${order}, and a part of it ${part}`,
});

function deliveryOf({ voucher_code: member }: Members): UnitDelivery[] {
  const text = printable(textOf(member) ?? '').trim();
  if (text === '') return [];
  const [, pin, serial] = /^PIN\s*:\s*(\S+)\s+Serial\s*:\s*(\S+)$/i.exec(text) ?? [];
  return [{ serial: serial ?? null, code: pin ?? text, expiresOn: null }];
}

function refundInWords(transactions: (Members | undefined)[]): string {
  const note = transactions.map((each) => shownText(each?.note)).find((text) => text !== '');
  return note ?? 'refunded';
}
