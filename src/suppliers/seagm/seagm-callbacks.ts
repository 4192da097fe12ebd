import { isUtf8 } from 'node:buffer';
import type { CallbackReader, CallbackReading, NamedAttempt, RawCallback } from '../supplier-adapter.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { nameOf } from '../adapter-answers.js';
import { readOrder } from './order-answers.js';
import { typeOf } from './order-request.js';
import { isSignedWith, type Parameters } from './seagm-signatures.js';

interface SigningSettings {
  secretKey: string;
}

/** How much a callback's time may differ from our clock: an older callback may be a replay. */
const MAX_DRIFT_MS = 600_000;

const REPLY = { status: 200, contentType: 'text/plain', body: 'success' };

/**
 * Reads callbacks of SEAGM: forms that the supplier signs as a whole with our secret key. A callback settles its
 * attempt if neither reference differs from one that we know. But a callback contains no PIN: when an order of a card
 * is done, an inquiry must read the PIN.
 */
export const seagmCallbacks: CallbackReader<SigningSettings> = {
  read(raw, { secretKey }) {
    const fields = formOf(raw);
    if (fields === null || !isSignedWith(secretKey, fields))
      return { kind: 'refused', detail: 'the signature was not made with our secret key' };
    const driftMs = Number(fields.timestamp) * 1_000 - raw.receivedAt.getTime();
    return Math.abs(driftMs) <= MAX_DRIFT_MS
      ? readFields(fields)
      : { kind: 'refused', detail: 'its time is too far from ours: the callback is too old, or a clock is wrong' };
  },
};

function readFields(fields: Parameters): CallbackReading {
  const reference = nameOf(fields.mch_order_id);
  const supplierReference = nameOf(fields.id);
  if (reference === undefined || supplierReference === undefined)
    return { kind: 'unreadable', detail: 'the form lacks our reference or the supplier’s reference', reply: REPLY };
  return {
    kind: 'about',
    reference,
    supplierReference,
    reply: REPLY,
    outcome: (attempt) => readAbout(fields, attempt),
    ...(fields.type_id && { purchase: { sku: fields.type_id } }),
  };
}

function readAbout(fields: Parameters, attempt: NamedAttempt): SupplierOutcome {
  const kind = typeOf(attempt.sku)?.kind ?? 'card';
  const outcome = readOrder(fields, kind, attempt);
  const isDone = fields.status_code === '10003';
  return isDone && outcome.kind === 'processing'
    ? { kind: 'unknown', detail: 'the order is done, and an inquiry must read the delivery' }
    : outcome;
}

/**
 * The fields of the form. Null if it is not UTF-8, or if a field comes twice, because then it is ambiguous which value
 * was signed.
 */
function formOf({ body }: RawCallback): Parameters | null {
  if (!isUtf8(body)) return null;
  const entries = [...new URLSearchParams(body.toString('utf8'))];
  const fields = Object.fromEntries(entries);
  return Object.keys(fields).length === entries.length ? fields : null;
}
