import { failure } from '../../core/failures.js';
import { storable } from '../../core/text.js';
import type { Attempt } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../adapter-http.js';
import type { UnitDelivery, SupplierOutcome } from '../supplier-outcome.js';
import { asMembers, isGiven, isOther, textOf, type Members } from '../adapter-answers.js';
import { codeInWords, dataOf, responseCodeOf, rupiah } from './digiflazz-data.js';
import { customerNoOf } from './purchase-request.js';
import { RESPONSE_CODES, type ResponseCode } from './response-codes.js';

/** How long to wait after the supplier refused a request as too frequent. */
const TOO_OFTEN_MS = 60_000;

/** Where a transaction's data comes from: the answer to an attempt's first send, the answer to a repeat, or a proven callback. */
type Phase = 'first' | 'repeat' | 'callback';

type Unknown = Extract<SupplierOutcome, { kind: 'unknown' }>;

/**
 * The outcome of an answer to `POST /transaction`. An undocumented answer means `unknown`. So does the refusal of a repeat, if the
 * supplier may have refused before it looked up the first send.
 */
export function readPurchaseAnswer(answer: HttpAnswer, attempt: Attempt): SupplierOutcome {
  const { status } = answer;
  const data = isReadable(status) ? asMembers(dataOf(answer.body)) : undefined;
  if (!data) {
    const detail = status === 200 ? 'the answer can’t be read' : `HTTP ${status}`;
    return { kind: 'unknown', detail, ...(status === 429 && { fault: 'rate' }), ...requestedWait(answer) };
  }
  const mismatch = mismatchOf(data, attempt);
  if (mismatch !== null) return { kind: 'unknown', detail: mismatch };
  if (!isGiven(data.ref_id)) return withoutReference(data);
  return readTransaction(data, attempt.isRepeat ? 'repeat' : 'first');
}

/** The outcome that the `data` of an answer or a callback reports for its transaction. */
export function readTransaction(data: Members, phase: Phase): SupplierOutcome {
  const rc = responseCodeOf(data);
  const code = rc === undefined ? undefined : RESPONSE_CODES.get(rc);
  if (rc === undefined || !code) {
    return { kind: 'unknown', detail: rc === undefined ? 'no response code' : codeInWords(rc) };
  }
  if (data.status !== code.status) {
    return { kind: 'unknown', detail: `${codeInWords(rc)}, with a status that contradicts it` };
  }
  return { ...meaningOf(data, rc, code, phase), ...namedBy(data, code) };
}

/** HTTP statuses with a body that the supplier wrote. */
const isReadable = (status: number): boolean => (status >= 200 && status < 300) || (status >= 400 && status < 500);

function meaningOf(data: Members, rc: string, code: ResponseCode, phase: Phase): SupplierOutcome {
  const { meaning, made } = code;
  const cost = rupiah(data.price);
  switch (meaning.kind) {
    case 'succeeded':
      return { kind: 'succeeded', supplierReference: null, ...(cost && { cost }), ...deliveredBy(data) };
    case 'processing':
      return { kind: 'processing', ...(cost && { cost }) };
    case 'unknown':
      return undecided(rc, code);
    case 'not_accepted':
      if (phase !== 'first') return undecided(rc, code);
      return { kind: 'not_accepted', detail: codeInWords(rc), fault: meaning.fault };
    case 'failed': {
      // The refusal of a repeat may be only about the repeat: the stock is empty by now, or the repeat came too early.
      // The first send may still have bought the unit, so an attempt with another reference could buy it again.
      if (phase !== 'first' && (!made || meaning.tooOften)) return undecided(rc, code);
      const { failover, confirm, tooOften, isPriceRefused } = meaning;
      return {
        kind: 'failed',
        ...failure(meaning.code, refusalInWords(data, rc, code.label, isPriceRefused)),
        failover,
        ...(confirm && phase !== 'callback' && { confirm }),
        ...(tooOften && { retryAfterMs: TOO_OFTEN_MS }),
        ...(isPriceRefused && { isPriceRefused }),
      };
    }
  }
}

/** The delivery in `sn`: a serial number or a voucher's code, depending on the product. Only for a success. */
function deliveredBy({ sn }: Members): { deliveries?: UnitDelivery[] } {
  const code = (textOf(sn) ?? '').trim();
  return code === '' ? {} : { deliveries: [{ serial: null, code, expiresOn: null }] };
}

/** The outcome of a response code that decides nothing. The code may still show a fault. */
function undecided(rc: string, { meaning }: ResponseCode): Unknown {
  return {
    kind: 'unknown',
    detail: codeInWords(rc),
    ...(meaning.kind === 'not_accepted' && { fault: meaning.fault }),
    ...(meaning.kind === 'failed' && meaning.tooOften && { retryAfterMs: TOO_OFTEN_MS }),
  };
}

function refusalInWords({ message }: Members, rc: string, words: string, hidesMessage = false): string {
  const shown = hidesMessage ? '' : storable(textOf(message) ?? '', 400);
  return `${shown === '' ? words : shown} (rc ${rc})`;
}

/** The supplier's reference of the transaction, which callbacks use. Absent for a refusal. */
function namedBy({ trx_id: name }: Members, { status, meaning }: ResponseCode) {
  const supplierReference = storable(textOf(name) ?? '', 255);
  const isRefused = status === 'Gagal' && meaning.kind !== 'unknown';
  return supplierReference === '' || isRefused ? {} : { supplierReference };
}

/** A refusal may lack the reference of the refused purchase. Then only its fault is reliable. */
function withoutReference(data: Members): Unknown {
  const rc = responseCodeOf(data);
  const code = rc === undefined ? undefined : RESPONSE_CODES.get(rc);
  const detail = 'the answer names no reference';
  return rc === undefined || !code
    ? { kind: 'unknown', detail }
    : { ...undecided(rc, code), detail: `${codeInWords(rc)}; ${detail}` };
}

/** Why an answer is about another purchase; null if it is about ours. */
function mismatchOf(data: Members, attempt: Attempt): string | null {
  const { ref_id: reference, buyer_sku_code: sku, customer_no: customerNo } = data;
  if (isOther(reference, attempt.reference)) return 'the answer is about another reference';
  const collides = isOther(sku, attempt.sku) || isOther(customerNo, customerNoOf(attempt));
  return collides ? 'reference collision: the answer is about another purchase under our reference' : null;
}
