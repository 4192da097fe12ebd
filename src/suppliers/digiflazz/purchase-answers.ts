import { failure } from '../../core/failures.js';
import { storable } from '../../core/text.js';
import type { Attempt } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../supplier-http.js';
import type { Delivery, SupplierOutcome } from '../supplier-outcome.js';
import { asMembers, isGiven, textOf, type Members } from '../vendor-answers.js';
import { codeInWords, dataOf, responseCodeOf, rupiah } from './digiflazz-data.js';
import { customerNoOf } from './purchase-request.js';
import { RESPONSE_CODES, type ResponseCode } from './response-codes.js';

/** How long the vendor wants to be left alone after "too often". */
const TOO_OFTEN_MS = 60_000;

/**
 * What said it: the answer to the first send of an attempt, the answer to a later send of the same, or a callback that
 * proved to be the vendor's.
 */
export type Phase = 'first' | 'repeat' | 'callback';

type Unknown = Extract<SupplierOutcome, { kind: 'unknown' }>;

/**
 * What the answer to `POST /transaction` means for an attempt. What the vendor does not document means unknown, and so
 * does every refusal of a repeat that may have been decided before the first send was looked up.
 */
export function readPurchaseAnswer(answer: HttpAnswer, attempt: Attempt): SupplierOutcome {
  const { status } = answer;
  const data = isReadable(status) ? asMembers(dataOf(answer.body)) : undefined;
  if (!data) {
    const detail = status === 200 ? 'the answer can’t be read' : `HTTP ${status}`;
    return { kind: 'unknown', detail, ...(status === 429 && { fault: 'rate' }), ...requestedWait(answer) };
  }
  const others = echoOfAnother(data, attempt);
  if (others !== null) return { kind: 'unknown', detail: others };
  if (!isGiven(data.ref_id)) return withoutReference(data);
  return readTransaction(data, attempt.isRepeat ? 'repeat' : 'first');
}

/** What `data` of an answer or a callback says of the transaction that it names. */
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

/** HTTP statuses whose body is the vendor's own word. */
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
      // Later it may be about the repeat only, which found the stock empty or came too early, and not about what the
      // first send bought: another reference could buy a second time.
      if (phase !== 'first' && (!made || meaning.tooOften)) return undecided(rc, code);
      const { failover, confirm, tooOften, isPriceRefused } = meaning;
      return {
        kind: 'failed',
        ...failure(meaning.code, refusalInWords(data, rc, code.words, isPriceRefused)),
        failover,
        ...(confirm && phase !== 'callback' && { confirm }),
        ...(tooOften && { retryAfterMs: TOO_OFTEN_MS }),
        ...(isPriceRefused && { isPriceRefused }),
      };
    }
  }
}

/** `sn` is a serial number or a voucher's code, as the product is; of a refusal it is neither. */
function deliveredBy({ sn }: Members): { deliveries?: Delivery[] } {
  const code = (textOf(sn) ?? '').trim();
  return code === '' ? {} : { deliveries: [{ serial: null, code, expiresOn: null }] };
}

/** The doubt that a response code leaves, with what it shows to be wrong all the same. */
function undecided(rc: string, { meaning }: ResponseCode): Unknown {
  return {
    kind: 'unknown',
    detail: codeInWords(rc),
    ...(meaning.kind === 'not_accepted' && { fault: meaning.fault }),
    ...(meaning.kind === 'failed' && meaning.tooOften && { retryAfterMs: TOO_OFTEN_MS }),
  };
}

function refusalInWords({ message }: Members, rc: string, words: string, discreet = false): string {
  const theirs = discreet ? '' : storable(textOf(message) ?? '', 400);
  return `${theirs === '' ? words : theirs} (rc ${rc})`;
}

/** The vendor's own name of the transaction, which callbacks tell. */
function namedBy({ trx_id: name }: Members, { status, meaning }: ResponseCode) {
  const supplierReference = storable(textOf(name) ?? '', 255);
  const isRefused = status === 'Gagal' && meaning.kind !== 'unknown';
  return supplierReference === '' || isRefused ? {} : { supplierReference };
}

/** A refusal need not tell what it refuses; then nothing but its fault can be relied on. */
function withoutReference(data: Members): Unknown {
  const rc = responseCodeOf(data);
  const code = rc === undefined ? undefined : RESPONSE_CODES.get(rc);
  const detail = 'the answer names no reference';
  return rc === undefined || !code
    ? { kind: 'unknown', detail }
    : { ...undecided(rc, code), detail: `${codeInWords(rc)}; ${detail}` };
}

/** What an answer repeats that is not ours; null when all is. */
function echoOfAnother(data: Members, attempt: Attempt): string | null {
  const { ref_id: reference, buyer_sku_code: sku, customer_no: customerNo } = data;
  const isOther = (given: unknown, ours: string): boolean => isGiven(given) && textOf(given) !== ours;
  if (isOther(reference, attempt.reference)) return 'the answer is about another reference';
  const collides = isOther(sku, attempt.sku) || isOther(customerNo, customerNoOf(attempt));
  return collides ? 'reference collision: the answer is about another purchase under our reference' : null;
}
