import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Attempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { isDefinite, type SupplierOutcome } from '../supplier-outcome.js';
import { readPurchaseAnswer } from './purchase-answers.js';
import { RESPONSE_CODES } from './response-codes.js';
import { parseAnswer } from './wepay-data.js';

const ATTEMPT: Attempt = {
  reference: 'TU7Q2M0001A1',
  sku: 'gtopup:MLBB:90',
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
const answer = (body: string, status = 200, retryAfter?: string): HttpAnswer => ({
  status,
  body: parseAnswer(body),
  retryAfter,
});
const read = (members: object, isRepeat = false, status = 200): SupplierOutcome =>
  readPurchaseAnswer(answer(JSON.stringify(members), status), { ...ATTEMPT, isRepeat });
const first = (members: object): SupplierOutcome => read(members);
const repeat = (members: object): SupplierOutcome => read(members, true);
const detailOf = (code: string): string => `${code}: ${RESPONSE_CODES.get(code)?.label}`;

const ACCEPTED = { code: '00000', bill_id: '1', transaction_id: '9007199254740993', queue_id: '2' };
const REFUSALS: [code: string, ours: string, failover: boolean][] = [
  ['30001', 'ITEM_NOT_FOUND', true],
  ['30007', 'ITEM_NOT_FOUND', true],
  ['30008', 'ITEM_NOT_FOUND', true],
  ['30009', 'INVALID_PLAYER', false],
  ['30010', 'INVALID_SERVER', false],
  ['30011', 'SUPPLIER_REJECTED', false],
  ['30012', 'SUPPLIER_REJECTED', false],
  ['30013', 'SUPPLIER_REJECTED', false],
  ['30017', 'SUPPLIER_REJECTED', false],
  ['30018', 'SUPPLIER_REJECTED', false],
];
const FAULTS: [code: string, fault: string][] = [
  ['10003', 'rate'],
  ...['20001', '20003', '20004', '20005', '30005', '30006'].map((code): [string, string] => [code, 'credentials']),
  ['30019', 'deposit'],
  ['30020', 'configuration'],
];
const ALWAYS_UNKNOWN = ['10001', '10002', '10004', '30002', '30003', '30004'];

describe.each([
  ['first', first],
  ['repeated', repeat],
])('the answer to a %s send', (_phase, readAnswer) => {
  it('00000 means processing, with the supplier’s reference and the cost', () => {
    expect(readAnswer({ ...ACCEPTED, total_amount: '88.65', balance: 100 })).toEqual({
      kind: 'processing',
      supplierReference: '9007199254740993',
      cost: { micros: 88_650_000n, currency: 'THB' },
    });
  });

  it('00000 may be a number, and may lack the reference and the cost', () => {
    const outcome = readPurchaseAnswer(
      answer('{"code":0,"transaction_id":9007199254740993,"total_amount":23.1}'),
      ATTEMPT,
    );
    expect(outcome).toEqual({
      kind: 'processing',
      supplierReference: '9007199254740993',
      cost: { micros: 23_100_000n, currency: 'THB' },
    });
    expect(readAnswer({ code: '00000', total_amount: '90,00', transaction_id: ' ' })).toEqual({
      kind: 'processing',
    });
  });

  it('30016 is no refusal: the supplier has the reference, and only a callback reports the outcome', () => {
    expect(readAnswer({ code: '30016' })).toEqual({
      kind: 'unknown',
      detail: detailOf('30016'),
      waitsForCallback: true,
    });
  });

  it.each(ALWAYS_UNKNOWN)('%s leaves the attempt in doubt', (code) => {
    expect(readAnswer({ code })).toEqual({ kind: 'unknown', detail: detailOf(code) });
  });

  it.each([
    ['a code that is not documented', { code: '30099' }],
    ['a code with six digits', { code: '000000' }],
    ['a code that is no number', { code: 'OK' }],
    ['no code', { transaction_id: '1' }],
    ['another reference', { ...ACCEPTED, dest_ref: 'TU7Q2M0001A2' }],
  ])('is unknown with %s', (_what, members) => {
    expect(readAnswer(members).kind).toBe('unknown');
  });
});

describe('the answer to a first send', () => {
  it.each(REFUSALS)('%s is a refusal, %s, and whether another supplier may sell it is %s', (code, ours, failover) => {
    expect(first({ code, desc: 'ปฏิเสธ' })).toEqual({
      kind: 'failed',
      code: ours,
      message: `ปฏิเสธ (${code})`,
      failover,
      // The amount identifies the product.
      ...(code === '30007' && { isPriceRefused: true }),
    });
  });

  it.each(FAULTS)('%s was not accepted, for our %s', (code, fault) => {
    expect(first({ code })).toEqual({ kind: 'not_accepted', detail: detailOf(code), fault });
  });

  it('has our own message if the supplier sends none', () => {
    expect(first({ code: '30009', desc: ' ' })).toMatchObject({
      message: 'reference 1 is not valid (30009)',
    });
  });
});

describe('the answer to a repeated send', () => {
  it.each(REFUSALS)('%s does not report the first send', (code) => {
    expect(repeat({ code })).toEqual({ kind: 'unknown', detail: detailOf(code) });
  });

  it.each(FAULTS)('%s does not report it either, but shows our fault: %s', (code, fault) => {
    expect(repeat({ code })).toEqual({ kind: 'unknown', detail: detailOf(code), fault });
  });
});

it('has a test for every code', () => {
  const tested = [...REFUSALS, ...FAULTS].map(([code]) => code).concat(ALWAYS_UNKNOWN, '00000', '30016');
  expect(tested.sort()).toEqual([...RESPONSE_CODES.keys()].sort());
});

describe('an answer over HTTP', () => {
  it.each([201, 302, 400, 404, 500, 502, 504])('of %s is unknown, with any body', (status) => {
    expect(read({ code: '30009' }, false, status)).toEqual({ kind: 'unknown', detail: `HTTP ${status}` });
  });

  it.each(['', '<html>', '[]', 'null', '7', '{}', '"00000"', '{"code":null}', '{"code":"00000'])(
    'with %j in it is unknown',
    (body) => {
      expect(readPurchaseAnswer(answer(body), ATTEMPT)).toEqual({
        kind: 'unknown',
        detail: 'the answer can’t be read',
      });
    },
  );

  it.each([
    [401, '{}'],
    [401, '<html>'],
    [200, 'Access denied'],
    [403, '<p>ACCESS DENIED from 203.0.113.7</p>'],
  ])('of %s with %j shows that we have no access, and leaves the purchase in doubt', (status, body) => {
    expect(readPurchaseAnswer(answer(body, status), ATTEMPT)).toMatchObject({
      kind: 'unknown',
      fault: 'credentials',
    });
  });

  it('of 429 shows that we call too often, and may have a wait', () => {
    expect(readPurchaseAnswer(answer('', 429, '7'), ATTEMPT)).toEqual({
      kind: 'unknown',
      detail: 'HTTP 429',
      fault: 'rate',
      retryAfterMs: 7_000,
    });
  });

  it('settles only by documented refusals of a first send', () => {
    const code = fc.oneof(fc.stringMatching(/^[0-3]\d{0,5}$/), fc.constantFrom(...RESPONSE_CODES.keys()));
    fc.assert(
      fc.property(code, fc.boolean(), fc.integer({ min: 200, max: 599 }), (given, isRepeat, status) => {
        const outcome = read({ code: given }, isRepeat, status);
        if (!isDefinite(outcome)) return;
        expect([outcome.kind, isRepeat, status]).toEqual(['failed', false, 200]);
        expect(REFUSALS.map(([each]) => each)).toContain(given);
      }),
    );
  });
});
