import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson } from '../../core/exact-json.js';
import type { Attempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { isDefinite, type SupplierOutcome } from '../supplier-outcome.js';
import { readPurchaseAnswer } from './purchase-answers.js';

const ATTEMPT: Attempt = {
  reference: 'TU7Q2M0001A1',
  sku: 'ml86',
  userId: '123456789',
  serverId: '2001',
  characterId: null,
  endUserIp: null,
  playerTemplate: null,
  maxCost: null,
  expectedCost: null,
  supplierReference: null,
  isRepeat: false,
};
const DATA = {
  ref_id: 'TU7Q2M0001A1',
  customer_no: '1234567892001',
  buyer_sku_code: 'ml86',
  message: 'Pesan',
  status: 'Gagal',
  rc: '02',
  sn: '',
  buyer_last_saldo: 990_000,
  price: 10_000,
};
const COST = { micros: 10_000_000_000n, currency: 'IDR' };

const answer = (body: string, status = 200, retryAfter?: string): HttpAnswer => ({
  status,
  body: parseExactJson(body),
  retryAfter,
});
const read = (data: object, isRepeat = false, status = 200): SupplierOutcome =>
  readPurchaseAnswer(answer(JSON.stringify({ data: { ...DATA, ...data } }), status), {
    ...ATTEMPT,
    isRepeat,
  });
const first = (data: object): SupplierOutcome => read(data);
const repeat = (data: object): SupplierOutcome => read(data, true);

/** Refusals of a recorded transaction: after `MADE_ANY`, another supplier may sell the unit; after `MADE_NONE`, not. */
const MADE_ANY: [rc: string, code: string][] = [
  ['02', 'SUPPLIER_REJECTED'],
  ['53', 'PRODUCT_UNAVAILABLE'],
  ['55', 'PRODUCT_UNAVAILABLE'],
  ['58', 'PRODUCT_UNAVAILABLE'],
  ['71', 'PRODUCT_UNAVAILABLE'],
  ['74', 'SUPPLIER_REJECTED'],
  ['84', 'SUPPLIER_REJECTED'],
];
const MADE_NONE: [rc: string, code: string][] = [
  ['51', 'PLAYER_NOT_ELIGIBLE'],
  ['52', 'INVALID_PLAYER'],
  ['54', 'INVALID_PLAYER'],
  ['57', 'INVALID_PLAYER'],
  ['59', 'PLAYER_NOT_ELIGIBLE'],
  ['60', 'SUPPLIER_REJECTED'],
  ['72', 'PLAYER_NOT_ELIGIBLE'],
  ['73', 'LIMIT_EXCEEDED'],
];
/** Refusals without a recorded transaction. */
const NOT_MADE: [rc: string, code: string, failover: boolean][] = [
  ['43', 'ITEM_NOT_FOUND', true],
  ['47', 'LIMIT_EXCEEDED', true],
  ['56', 'PRODUCT_UNAVAILABLE', true],
  ['62', 'PRODUCT_UNAVAILABLE', true],
  ['63', 'LIMIT_EXCEEDED', true],
  ['65', 'LIMIT_EXCEEDED', true],
  ['66', 'PRODUCT_UNAVAILABLE', true],
  ['67', 'PRODUCT_UNAVAILABLE', true],
  ['68', 'OUT_OF_STOCK', true],
  ['69', 'PRODUCT_UNAVAILABLE', true],
  ['87', 'SUPPLIER_REJECTED', false],
];
/** Refusals for faults of ours. */
const FAULTS = [
  ...['41', '42', '45', '82', '88'].map((rc) => [rc, 'credentials']),
  ...['44', '61'].map((rc) => [rc, 'deposit']),
  ...['40', '80', '81'].map((rc) => [rc, 'configuration']),
] as [rc: string, fault: string][];
const ALWAYS_UNKNOWN = ['49', '50', '64', '83'];

const failed = (rc: string, code: string, failover: boolean): object => ({
  kind: 'failed',
  code,
  failover,
  message: `Pesan (rc ${rc})`,
});

describe('the first answer to a purchase', () => {
  it('is a success with the cost, and with the supplier’s reference if there is one', () => {
    const success = { status: 'Sukses', rc: '00', sn: '1234567890' };
    const deliveries = [{ serial: null, code: '1234567890', expiresOn: null }];
    expect(first(success)).toEqual({ kind: 'succeeded', supplierReference: null, cost: COST, deliveries });
    expect(first({ ...success, price: '10000', trx_id: '5ca2' })).toEqual({
      kind: 'succeeded',
      supplierReference: '5ca2',
      cost: COST,
      deliveries,
    });
    expect(first({ ...success, price: null })).toEqual({
      kind: 'succeeded',
      supplierReference: null,
      deliveries,
    });
  });

  it.each(['03', '99'])('rc %s means that the transaction is pending', (rc) => {
    expect(first({ status: 'Pending', rc })).toEqual({ kind: 'processing', cost: COST });
    expect(first({ status: 'Pending', rc, price: 'soon', trx_id: '5ca2' })).toEqual({
      kind: 'processing',
      supplierReference: '5ca2',
    });
  });

  it.each(MADE_ANY)('rc %s is a refusal, %s, and another supplier may sell it', (rc, code) => {
    expect(first({ rc })).toEqual(failed(rc, code, true));
  });

  it.each(MADE_NONE)('rc %s is a refusal, %s, that every supplier would repeat', (rc, code) => {
    expect(first({ rc })).toEqual(failed(rc, code, false));
  });

  it.each(NOT_MADE)('rc %s is a refusal, %s, without a recorded transaction', (rc, code, failover) => {
    expect(first({ rc })).toMatchObject({ kind: 'failed', code, failover });
  });

  it.each(['01', '70'])('rc %s counts only once the vendor confirms it', (rc) => {
    expect(first({ rc })).toEqual({ ...failed(rc, 'SUPPLIER_REJECTED', true), confirm: true });
  });

  it.each(['85', '86'])('rc %s allows another attempt in a minute, under another reference', (rc) => {
    expect(first({ rc })).toEqual({ ...failed(rc, 'SUPPLIER_UNAVAILABLE', true), retryAfterMs: 60_000 });
  });

  it.each(FAULTS)('rc %s was not accepted, for our %s', (rc, fault) => {
    const detail = expect.stringContaining(`rc ${rc}: `) as unknown as string;
    expect(first({ rc })).toEqual({ kind: 'not_accepted', detail, fault });
  });

  it.each(ALWAYS_UNKNOWN)('rc %s leaves the attempt in doubt', (rc) => {
    expect(first({ rc }).kind).toBe('unknown');
  });

  it('does not show our price limit to the merchant', () => {
    expect(first({ rc: '69' })).toMatchObject({ message: 'not available at the expected price (rc 69)' });
  });

  it('has our own message if the supplier sends none', () => {
    expect(first({ rc: '54', message: ' ' })).toMatchObject({ message: 'wrong destination (rc 54)' });
  });
});

describe('the answer to a repeat', () => {
  it('is the outcome of the first send, if that is recorded', () => {
    expect(repeat({ status: 'Sukses', rc: '00' }).kind).toBe('succeeded');
    expect(repeat({ status: 'Pending', rc: '03' }).kind).toBe('processing');
    for (const [rc, code] of MADE_ANY) expect(repeat({ rc })).toEqual(failed(rc, code, true));
    for (const [rc, code] of MADE_NONE) expect(repeat({ rc })).toEqual(failed(rc, code, false));
    expect(repeat({ rc: '01' })).toMatchObject({ kind: 'failed', confirm: true });
  });

  it.each([...NOT_MADE.map(([rc]) => rc), ...ALWAYS_UNKNOWN])('rc %s does not report the first send', (rc) => {
    const outcome = repeat({ rc });
    expect(outcome.kind).toBe('unknown');
    expect(outcome).not.toHaveProperty('fault');
  });

  it.each(FAULTS)('rc %s does not report it either, but shows our fault: %s', (rc, fault) => {
    expect(repeat({ rc })).toMatchObject({ kind: 'unknown', fault });
  });

  it.each(['85', '86'])('rc %s may be about a repeat that came too early', (rc) => {
    expect(repeat({ rc })).toMatchObject({ kind: 'unknown', retryAfterMs: 60_000 });
  });
});

describe.each([
  ['first', first],
  ['repeated', repeat],
])('the %s answer', (_phase, readAnswer) => {
  it('is read by its code as text or number, with one or two digits', () => {
    for (const rc of ['00', '0', 0]) expect(readAnswer({ status: 'Sukses', rc }).kind).toBe('succeeded');
    for (const rc of ['3', 3]) expect(readAnswer({ status: 'Pending', rc }).kind).toBe('processing');
    expect(readAnswer({ rc: 2 })).toMatchObject({ kind: 'failed', message: 'Pesan (rc 02)' });
  });

  it.each([
    ['status and code contradict each other', { status: 'Sukses', rc: '02' }],
    ['a refusal has the code of success', { status: 'Gagal', rc: '00' }],
    ['a refusal has the code of waiting', { status: 'Gagal', rc: '99' }],
    ['the status is none', { status: 'Gagal ', rc: '02' }],
    ['the status is missing', { status: undefined, rc: '00' }],
    ['the code is not documented', { rc: '46' }],
    ['the code has three digits', { rc: '002' }],
    ['the code is broken', { rc: 2.5 }],
    ['the code is missing', { status: 'Sukses', rc: undefined }],
    ['the reference is another one', { status: 'Sukses', rc: '00', ref_id: 'TU7Q2M0001A2' }],
    ['the reference is missing', { status: 'Sukses', rc: '00', ref_id: undefined }],
    ['the reference is empty', { rc: '02', ref_id: '' }],
  ])('is unknown if %s', (_why, data) => {
    expect(readAnswer(data).kind).toBe('unknown');
  });

  it.each([
    ['number', { status: 'Sukses', rc: '00', customer_no: '1234567892002' }],
    ['number in a refusal', { rc: '54', customer_no: '1234567892002' }],
    ['product', { status: 'Sukses', rc: '00', buyer_sku_code: 'ml172' }],
  ])('is unknown if it has another %s with our reference', (_what, data) => {
    expect(readAnswer(data)).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining('reference collision') as unknown as string,
    });
  });

  it('shows a fault of ours even without a reference, and nothing else then', () => {
    for (const ref_id of [undefined, null, '']) {
      expect(readAnswer({ rc: '41', ref_id })).toMatchObject({ kind: 'unknown', fault: 'credentials' });
    }
    expect(readAnswer({ rc: '41', ref_id: 'TU7Q2M0001A2' })).not.toHaveProperty('fault');
  });
});

describe('an answer over HTTP', () => {
  it.each([200, 201, 400, 403, 422])('of %s is read by its code', (status) => {
    expect(read({ rc: '54' }, false, status)).toMatchObject({ kind: 'failed', code: 'INVALID_PLAYER' });
  });

  it.each([302, 500, 502, 504])('of %s is unknown, with any body', (status) => {
    expect(read({ rc: '54' }, false, status)).toEqual({ kind: 'unknown', detail: `HTTP ${status}` });
  });

  it.each(['', '<html>', '[]', 'null', '7', '{}', '{"data":null}', '{"data":[]}', '{"data":"00"}', '{"data":7}'])(
    'with %j in it is unknown',
    (body) => {
      for (const status of [200, 401, 403, 404, 429, 500]) {
        expect(readPurchaseAnswer(answer(body, status), ATTEMPT).kind).toBe('unknown');
      }
    },
  );

  it('of 429 shows that we call too often, and may have a wait', () => {
    const outcome = readPurchaseAnswer(answer('<html>', 429, '7'), ATTEMPT);
    expect(outcome).toEqual({ kind: 'unknown', detail: 'HTTP 429', fault: 'rate', retryAfterMs: 7_000 });
  });

  it('decides only by the reference and a documented pair of status and code', () => {
    const data = fc.record({
      ref_id: fc.constantFrom('TU7Q2M0001A1', 'other', '', null),
      status: fc.constantFrom('Sukses', 'Pending', 'Gagal', 'Success', null),
      rc: fc.oneof(fc.stringMatching(/^\d{1,3}$/), fc.nat(120)),
    });
    fc.assert(
      fc.property(data, fc.boolean(), (changes, isRepeat) => {
        const outcome = read(changes, isRepeat);
        if (!isDefinite(outcome)) return;
        expect(changes.ref_id).toBe('TU7Q2M0001A1');
        expect(changes.status).toBe(outcome.kind === 'succeeded' ? 'Sukses' : 'Gagal');
        expect(Number(changes.rc) === 0).toBe(outcome.kind === 'succeeded');
      }),
    );
  });
});
