import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NamedAttempt } from '../supplier-adapter.js';
import type { CallbackReading } from '../supplier-adapter.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { seagmCallbacks } from './seagm-callbacks.js';
import { signatureOf, type Parameters } from './seagm-signatures.js';

const SECRET = 'seagm-test-secret';
const FIELDS: Parameters = {
  id: '88',
  mch_order_id: 'T0123456789ABCDE',
  type_id: '6351',
  status_code: '10003',
  send_amount: '1',
  currency: 'MYR',
  pay_amount: '12.995',
  refunded_reason: '',
  timestamp: '1760000000',
};
const ATTEMPT: NamedAttempt = { sku: '6351', reference: 'T0123456789ABCDE', supplierReference: '88' };
const NOW = new Date(1_760_000_060_000);

const read = (body: string, receivedAt = NOW): CallbackReading =>
  seagmCallbacks.read(
    { method: 'POST', headers: {}, query: {}, body: Buffer.from(body), receivedAt },
    { secretKey: SECRET },
  );

const form = (changes: Parameters = {}, signature?: string): string => {
  const fields = { ...FIELDS, ...changes };
  return new URLSearchParams({ ...fields, signature: signature ?? signatureOf(SECRET, fields) }).toString();
};

function outcomeOf(reading: CallbackReading, attempt = ATTEMPT): SupplierOutcome {
  if (reading.kind !== 'about' || typeof reading.outcome !== 'function') throw new Error(reading.kind);
  return reading.outcome(attempt);
}

describe('a callback', () => {
  it('settles the order if both references match, and is answered with one word', () => {
    const reading = read(form());
    expect(reading).toMatchObject({ kind: 'about', reference: 'T0123456789ABCDE', supplierReference: '88' });
    expect(reading.reply).toMatchObject({ status: 200, body: 'success' });
    expect(outcomeOf(reading)).toMatchObject({ kind: 'succeeded', cost: { micros: 12_995_000n } });
    expect(outcomeOf(reading, { ...ATTEMPT, supplierReference: null }).kind).toBe('succeeded');
    expect(outcomeOf(reading, { ...ATTEMPT, supplierReference: '89' }).kind).toBe('unknown');
    const refunded = read(form({ status_code: '10005', refunded_reason: 'wrong id' }));
    expect(outcomeOf(refunded)).toMatchObject({ kind: 'failed', message: 'wrong id' });
    expect(outcomeOf(read(form({ status_code: '10001' }))).kind).toBe('processing');
  });

  it('about a sold card causes an inquiry for its PIN', () => {
    expect(outcomeOf(read(form()), { ...ATTEMPT, sku: 'card:901' }).kind).toBe('unknown');
  });

  it.each([
    ['a changed amount', form({ pay_amount: '1' }, signatureOf(SECRET, FIELDS))],
    ['the signature of another key', form({}, signatureOf('other', FIELDS))],
    ['no signature', new URLSearchParams(FIELDS).toString()],
    ['a name twice', `${form()}&pay_amount=12.995`],
  ])('with %s is refused', (_what, body) => {
    expect(read(body).kind).toBe('refused');
  });

  it('with a time far from ours is refused', () => {
    for (const minutes of [-12, 12])
      expect(read(form(), new Date(NOW.getTime() + minutes * 60_000)).kind).toBe('refused');
    expect(read(form({ timestamp: 'now' })).kind).toBe('refused');
    expect(read(form(), new Date(NOW.getTime() + 8 * 60_000)).kind).toBe('about');
  });

  it('without both references is unreadable', () => {
    for (const changes of [{ id: '' }, { mch_order_id: '' }] as Parameters[])
      expect(read(form(changes)).kind).toBe('unreadable');
  });

  it('never throws, and settles nothing unless it is signed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (body) => {
        expect(read(body).kind).toBe('refused');
      }),
    );
  });
});
