import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../../core/exact-json.js';
import type { Members } from '../../../suppliers/adapter-answers.js';
import type { ChannelCallback, PaymentReading } from '../channel-adapter.js';
import { readCallback, readCharge, readList, readRefunds } from './opn-data.js';

const NOW = new Date('2026-11-24T08:00:00Z');
const CHARGE = {
  object: 'charge',
  id: 'chrg_1',
  livemode: false,
  status: 'successful',
  paid: true,
  amount: 100_037,
  currency: 'thb',
  refunded_amount: 0,
  paid_at: '2026-11-24T07:59:00Z',
  metadata: { deposit: 'dep_1', merchant: '7', reference_id: 'invoice-1' },
};

const read = (changes: object = {}): PaymentReading =>
  readCharge(parseExactJson(JSON.stringify({ ...CHARGE, ...changes })) as Members, 'chrg_1', false, NOW);

describe('a charge', () => {
  it('that is paid has its satang, its time and its names', () => {
    const names = { references: ['dep_1'], merchantId: 7 };
    const paid = { amount: 100_037n, currency: 'THB', paidAt: new Date('2026-11-24T07:59:00Z'), refunded: 0n };
    const payment = { chargeRef: 'chrg_1', ...paid, ...names };
    expect(read()).toEqual({ kind: 'paid', payment });
    expect(read({ metadata: {}, paid_at: null })).toMatchObject({
      payment: { references: [], merchantId: null, paidAt: NOW },
    });
  });

  it.each<[PaymentReading['kind'], object]>([
    ['open', { status: 'pending', paid: false }],
    ['ended', { status: 'failed', paid: false }],
    ['ended', { status: 'expired', paid: false }],
    ['reversed', { status: 'reversed', paid: false }],
    ['unknown', { status: 'failed' }],
    ['unknown', { status: 'successful', paid: false }],
    ['unknown', { livemode: true }],
    ['unknown', { id: 'chrg_2' }],
    ['unknown', { object: 'refund' }],
    ['unknown', { amount: '100037' }],
    ['unknown', { amount: 100_037.5 }],
    ['unknown', { amount: 0 }],
    ['unknown', { refunded_amount: undefined }],
    ['unknown', { currency: 'baht' }],
  ])('is %s with %j', (kind, changes) => {
    expect(read(changes).kind).toBe(kind);
  });

  const page = (data: object[], total: number) => ({
    status: 200,
    retryAfter: undefined,
    body: parseExactJson(JSON.stringify({ object: 'list', data, total })),
  });

  it('is listed, and a page that lacks charges is no page', () => {
    expect(readList(page([CHARGE], 3), 1, false, NOW)).toMatchObject({
      kind: 'page',
      payments: [{ paymentId: 'chrg_1' }],
      next: '2',
    });
    expect(readList(page([CHARGE], 2), 1, false, NOW)).toMatchObject({ next: null });
    expect(readList(page([], 2), 1, false, NOW)).toMatchObject({ kind: 'unknown' });
    const nameless = [CHARGE, { ...CHARGE, id: 7 }, { ...CHARGE, id: undefined }];
    expect(readList(page(nameless, 23), 20, false, NOW)).toMatchObject({
      payments: [
        { paymentId: 'chrg_1', reading: { kind: 'paid' } },
        { paymentId: 'entry 22', reading: { kind: 'unknown', detail: 'it has no id of a charge' } },
        { paymentId: 'entry 23', reading: { kind: 'unknown' } },
      ],
    });
  });

  it('is listed once for all its refunds on a page, whether they contain its id or the whole charge', () => {
    const refunds = [{ charge: 'chrg_1' }, { charge: CHARGE }, { charge: 'chrg_2' }, { charge: null }];
    const charges = ['chrg_1', 'chrg_2'];
    expect(readRefunds(page(refunds, 5), 0)).toEqual({ kind: 'refunds', charges, nameless: ['refund 4'], next: '4' });
    expect(readRefunds(page([], 5), 4)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a callback', () => {
  const SECRET = Buffer.from('a secret').toString('base64');
  const body = Buffer.from('{"object":"event","data":{"object":"refund","charge":"chrg_1"}}');
  const seconds = NOW.getTime() / 1_000;

  function reading(changes: { at?: number; signature?: string; secret?: string | null } = {}): ChannelCallback {
    const { at = seconds, secret = SECRET } = changes;
    const right = createHmac('sha256', 'a secret').update(`${at}.`).update(body).digest('hex');
    const headers = { 'omise-signature': changes.signature ?? right, 'omise-signature-timestamp': String(at) };
    return readCallback({ method: 'POST', headers, query: {}, body, receivedAt: NOW }, secret);
  }

  it('is about the charge of a refund', () => {
    expect(reading()).toEqual({ kind: 'about', paymentId: 'chrg_1' });
    expect(reading({ at: seconds + 300 })).toMatchObject({ kind: 'about' });
  });

  it('is refused with a wrong signature, or one that is old', () => {
    for (const wrong of [{ signature: '' }, { signature: 'zz' }, { at: seconds - 301 }, { at: NaN }])
      expect(reading(wrong).kind).toBe('refused');
    expect(reading({ signature: '', secret: null })).toMatchObject({ kind: 'about' });
  });
});
