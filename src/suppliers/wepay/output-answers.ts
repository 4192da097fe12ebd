import { failure } from '../../core/failures.js';
import type { NamedAttempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import type { UnitDelivery, SupplierOutcome } from '../supplier-outcome.js';
import { nameOf, textOf } from '../adapter-answers.js';
import { ACCEPTED, IN_PROGRESS, NO_SUCH_TRANSACTION } from './response-codes.js';
import { baht, codeInWords, faultOfCode, readCoded, uncoded } from './wepay-data.js';

const SUCCEEDED = '2';
const FAILED = '4';

/**
 * The outcome of an answer to `type=get_output`, for an attempt with a known transaction id. The answer settles the
 * attempt only if it has our reference, and no other transaction id. The known id may come from a callback, which
 * proves nothing.
 */
export function readOutputAnswer(answer: HttpAnswer, attempt: NamedAttempt): SupplierOutcome {
  const coded = readCoded(answer);
  if (!coded) return uncoded(answer);
  const { code, members } = coded;
  const detail = codeInWords(code);
  if (code === IN_PROGRESS) return { kind: 'processing' };
  if (NO_SUCH_TRANSACTION.has(code)) return { kind: 'unknown', detail, isMisnamed: true };
  if (code !== ACCEPTED) {
    const fault = faultOfCode(code);
    return { kind: 'unknown', detail, ...(fault && { fault }) };
  }
  const output = new URLSearchParams(textOf(members.output) ?? '');
  return mismatchOf(output, attempt) ?? readStatus(output, attempt);
}

/** The outcome if the output is not about this attempt; null if it is. */
function mismatchOf(output: URLSearchParams, attempt: NamedAttempt): SupplierOutcome | null {
  const [reference, id] = [output.get('dest_ref'), output.get('transaction_id')];
  if (!reference) return { kind: 'unknown', detail: 'the answer names no reference' };
  const isOurs = reference === attempt.reference && (!id || id === attempt.supplierReference);
  if (isOurs) return null;
  const detail = 'reference collision: the transaction is another purchase than ours';
  return { kind: 'unknown', detail, isMisnamed: true };
}

/** The outcome by the status. Any status except `SUCCEEDED` and `FAILED` means that the transaction has not ended. */
function readStatus(output: URLSearchParams, { supplierReference: id }: NamedAttempt): SupplierOutcome {
  const status = output.get('status');
  if (status === FAILED) return { kind: 'failed', ...failure('SUPPLIER_REJECTED'), failover: true };
  const cost = baht(output.get('total_amount'));
  const reported = { ...(id !== null && { supplierReference: id }), ...(cost && { cost }) };
  if (status !== SUCCEEDED) return { kind: 'processing', ...reported };
  const deliveries = deliveriesIn(output);
  return {
    kind: 'succeeded',
    ...reported,
    // The mobile operator's id replaces the transaction's id. While it is missing, there is no reference: a later success with the id
    // must not look like a second purchase.
    supplierReference: nameOf(output.get('operator_trxnsid')) ?? null,
    ...(deliveries.length > 0 && { deliveries }),
  };
}

/** The code of a cash card in an output or a callback. It is in its own fields, or in the text of a message. */
export function deliveriesIn(fields: URLSearchParams): UnitDelivery[] {
  const message = fields.get('sms') ?? '';
  const serial = textOrNull(fields.get('cashcard_ref1')) ?? SERIAL.exec(message)?.[1] ?? null;
  const code = textOrNull(fields.get('cashcard_ref2')) ?? PASSWORD.exec(message)?.[1] ?? null;
  return serial === null && code === null ? [] : [{ serial, code, expiresOn: null }];
}

const SERIAL = /\bserial_no\s*:\s*([^\s,;]+)/i;
const PASSWORD = /\bpassword\s*:\s*([^\s,;]+)/i;

const textOrNull = (text: string | null): string | null => text?.trim() || null;
