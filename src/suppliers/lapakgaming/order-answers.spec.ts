import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson } from '../../core/exact-json.js';
import type { NamedAttempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { isDefinite, type SupplierOutcome } from '../supplier-outcome.js';
import { readOrderAnswer, readOrderStatus } from './order-answers.js';
import { RESPONSE_CODES } from './response-codes.js';

const COST = { micros: 19_500_000_000n, currency: 'IDR' };

const answer = (body: unknown, status = 200, retryAfter?: string): HttpAnswer => ({
  status,
  retryAfter,
  body: parseExactJson(typeof body === 'string' ? body : JSON.stringify(body)),
});

type Read = (body: unknown, status?: number, retryAfter?: string) => SupplierOutcome;

const first: Read = (...of) => readOrderAnswer(answer(...of), { isRepeat: false });
const repeat: Read = (...of) => readOrderAnswer(answer(...of), { isRepeat: true });

const ELSEWHERE: [code: string, ours: string][] = [
  ['PRODUCT_NOT_FOUND', 'ITEM_NOT_FOUND'],
  ['PROVIDER_NOT_FOUND', 'ITEM_NOT_FOUND'],
  ['PRODUCT_EMPTY', 'OUT_OF_STOCK'],
  ['STOCK_NOT_FOUND', 'OUT_OF_STOCK'],
  ['PROVIDER_INACTIVE', 'PRODUCT_UNAVAILABLE'],
  ['PRICE_NOT_MATCH', 'PRODUCT_UNAVAILABLE'],
];
const NOWHERE = ['USER_ID_EMPTY', 'USER_ID_CONTAIN_SPACE'];
const FAULTS = [
  ['UNAUTHORIZED', 'credentials'],
  ['INSUFFICIENT_BALANCE', 'deposit'],
  ['NOT_ALLOWED', 'configuration'],
] as const;
const DOUBTS = ['TID_NOT_FOUND', 'SYSTEM_ERROR', 'UNKNOWN_ERROR', 'DUPLICATE_REFERENCE', 'success', ''];

describe.each([200, 400, 422])('the answer to an order by HTTP %s', (status) => {
  it.each(ELSEWHERE)('%s is a refusal, %s, and another supplier may sell it', (code, ours) => {
    expect(first({ code }, status)).toMatchObject({ kind: 'failed', code: ours, failover: true });
    expect(repeat({ code }, status).kind).toBe('unknown');
  });

  it.each(NOWHERE)('%s is a refusal of the player, which every supplier would repeat', (code) => {
    expect(first({ code }, status)).toMatchObject({
      kind: 'failed',
      code: 'INVALID_PLAYER',
      failover: false,
    });
    expect(repeat({ code }, status).kind).toBe('unknown');
  });

  it.each(FAULTS)(
    'by %s, the supplier does not accept a first order because of our %s; a repeat stays in doubt',
    (code, fault) => {
      expect(first({ code }, status)).toMatchObject({ kind: 'not_accepted', fault });
      const reported = fault === 'configuration' ? {} : { fault };
      expect(repeat({ code }, status)).toEqual({ kind: 'unknown', detail: expect.any(String), ...reported });
    },
  );

  it.each(DOUBTS)('%j leaves the attempt in doubt', (code) => {
    for (const read of [first, repeat]) {
      expect(read({ code }, status).kind).toBe('unknown');
      expect(read({ code }, status)).not.toHaveProperty('fault');
    }
  });
});

describe.each([
  ['first', first],
  ['repeated', repeat],
])('the answer to a %s order', (_phase, read) => {
  it('that is accepted is processing, with the supplier’s reference and price', () => {
    const data = { tid: 'RA171341142175668001', total_price: 19_500 };
    const accepted = { kind: 'processing', supplierReference: data.tid, cost: COST };
    expect(read({ code: 'SUCCESS', data })).toEqual(accepted);
    expect(read({ code: 'SUCCESS', data: { ...data, total_price: '19500' } })).toEqual(accepted);
    for (const reported of [undefined, null, {}, { tid: '', total_price: 'soon' }])
      expect(read({ code: 'SUCCESS', data: reported })).toEqual({ kind: 'processing' });
  });

  it('is unknown with a redirection or an error of the server, and if it can’t be read', () => {
    for (const status of [302, 500, 502, 504]) {
      expect(read({ code: 'PRODUCT_EMPTY' }, status)).toEqual({ kind: 'unknown', detail: `HTTP ${status}` });
    }
    expect(read({ code: 'SUCCESS', data: { tid: 'T1' } }, 400).kind).toBe('unknown');
    for (const body of ['', '<html>', '[]', 'null', '{}', '{"code":7}'])
      for (const status of [200, 400, 403, 404, 500]) expect(read(body, status).kind).toBe('unknown');
  });
});

describe('a fault of ours', () => {
  it('is also read from the HTTP status', () => {
    expect(first('<html>', 401)).toEqual({ kind: 'not_accepted', detail: 'HTTP 401', fault: 'credentials' });
    expect(repeat('<html>', 401)).toEqual({ kind: 'unknown', detail: 'HTTP 401', fault: 'credentials' });
  });

  it('for too many requests has a wait of ten seconds, or the requested one if it is longer', () => {
    const rate = { detail: 'HTTP 429', fault: 'rate' };
    expect(first('', 429)).toEqual({ kind: 'not_accepted', ...rate, retryAfterMs: 10_000 });
    expect(first('', 429, '3')).toMatchObject({ retryAfterMs: 10_000 });
    expect(first('', 429, '30')).toMatchObject({ retryAfterMs: 30_000 });
    expect(repeat('', 429)).toEqual({ kind: 'unknown', ...rate, retryAfterMs: 10_000 });
  });
});

describe('a refused price', () => {
  it('makes the service read the product again, and the merchant’s message does not have the new price', () => {
    expect(first({ code: 'PRICE_NOT_MATCH', data: { price: 20_000 } }, 400)).toEqual({
      kind: 'failed',
      code: 'PRODUCT_UNAVAILABLE',
      failover: true,
      isPriceRefused: true,
      message: 'not available at the expected price (PRICE_NOT_MATCH)',
    });
    expect(first({ code: 'PRODUCT_EMPTY' })).not.toHaveProperty('isPriceRefused');
  });
});

const OURS: NamedAttempt = { sku: 'ML78_8-S2', reference: 'T0123456789ABCDE', supplierReference: null };
const NAMED: NamedAttempt = { ...OURS, supplierReference: 'RA1' };

const ask = (body: unknown, about = OURS, status = 200): SupplierOutcome =>
  readOrderStatus(answer(body, status), about);

const part = (status: unknown, more: object = {}): object => ({ id: 1, product_name: 'x', status, ...more });

const order = (status: unknown, transactions: unknown, more: object = {}): object => ({
  code: 'SUCCESS',
  data: { status, tid: 'RA1', transactions, ...more },
});

describe('the status of an order', () => {
  it('is a success if the order and each transaction succeeded', () => {
    const succeeded = { kind: 'succeeded', supplierReference: 'RA1' };
    expect(ask(order('SUCCESS', [part('SUCCESS')]))).toEqual(succeeded);
    expect(ask(order('SUCCESS', [part('SUCCESS', { voucher_code: '' }), part('SUCCESS')]))).toEqual(succeeded);
    expect(ask(order('success', [part('Success')]))).toEqual(succeeded);
    expect(ask(order('SUCCESS', [part('SUCCESS')], { tid: undefined }))).toEqual({
      ...succeeded,
      supplierReference: null,
    });
  });

  it('is processing while a transaction is pending, or if the answer lists none', () => {
    const goesOn = { kind: 'processing', supplierReference: 'RA1' };
    expect(ask(order('PENDING', [part('PENDING')]))).toEqual(goesOn);
    expect(ask(order('PENDING', undefined))).toEqual(goesOn);
    expect(ask(order('SUCCESS', [part('SUCCESS'), part('PENDING')]))).toEqual(goesOn);
    for (const none of [[], undefined, null, {}, ['SUCCESS'], [null]])
      expect(ask(order('SUCCESS', none))).toEqual(goesOn);
  });

  it('is a refusal if it is refunded, with the reason of its note', () => {
    const refunded = { kind: 'failed', code: 'SUPPLIER_REJECTED', failover: true };
    const noted = part('REFUNDED', { note: 'ID salah\n' });
    expect(ask(order('REFUNDED', [noted]))).toEqual({ ...refunded, message: 'ID salah' });
    expect(ask(order('REFUNDED', []))).toEqual({ ...refunded, message: 'refunded' });
  });

  it.each([
    ['SUCCESS', 'REFUNDED'],
    ['REFUNDED', 'SUCCESS'],
    ['REFUNDED', 'PENDING'],
    ['REFUNDED', 'PROCESSING'],
    ['REFUNDED', undefined],
    [undefined, 'SUCCESS'],
    ['FAILED', 'FAILED'],
  ])('is unknown if it is %s and a transaction %s', (status, parts) => {
    expect(ask(order(status, [part(parts)])).kind).toBe('unknown');
  });

  it('has the codes of vouchers, as text or number', () => {
    const codes = [' AAAA-BBBB ', 123, 'PIN : 0F3A\tSerial : 771'];
    const parts = codes.map((voucher_code) => part('SUCCESS', { voucher_code }));
    expect(ask(order('SUCCESS', parts))).toMatchObject({
      deliveries: [
        { serial: null, code: 'AAAA-BBBB', expiresOn: null },
        { serial: null, code: '123', expiresOn: null },
        { serial: '771', code: '0F3A', expiresOn: null },
      ],
    });
  });

  it('is "never seen" if our reference is unknown, and in doubt if only the supplier’s is unknown', () => {
    for (const status of [200, 400, 404]) {
      expect(ask({ code: 'TID_NOT_FOUND' }, OURS, status)).toEqual({ kind: 'never_seen' });
      expect(ask({ code: 'TID_NOT_FOUND' }, NAMED, status).kind).toBe('unknown');
    }
    expect(ask({ code: 'TID_NOT_FOUND' }, OURS, 500).kind).toBe('unknown');
    expect(ask('', OURS, 404).kind).toBe('unknown');
  });

  it('settles nothing if it is about another order', () => {
    const others = [{ reference_id: 'T0123456789ABCDF' }, { tid: 'RA2' }];
    for (const more of others) {
      expect(ask(order('SUCCESS', [part('SUCCESS')], more), NAMED)).toMatchObject({
        kind: 'unknown',
        detail: expect.stringContaining('reference collision') as unknown as string,
      });
    }
    const ours = { reference_id: OURS.reference };
    expect(ask(order('SUCCESS', [part('SUCCESS')], ours), NAMED).kind).toBe('succeeded');
  });

  it('is in doubt with a fault of ours, which it shows, and with any other refusal', () => {
    expect(ask('', OURS, 401)).toMatchObject({ kind: 'unknown', fault: 'credentials' });
    expect(ask('', OURS, 429)).toMatchObject({ kind: 'unknown', fault: 'rate', retryAfterMs: 10_000 });
    for (const code of RESPONSE_CODES.keys())
      if (code !== 'TID_NOT_FOUND') expect(ask({ code }, OURS, 400).kind).toBe('unknown');
  });

  it('decides only by documented statuses of the order and of each transaction', () => {
    const status = fc.constantFrom('SUCCESS', 'PENDING', 'REFUNDED', 'ERROR', null);
    const parts = fc.array(
      fc.oneof(
        status.map((each) => part(each ?? '')),
        fc.json(),
      ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(status, parts, fc.constantFrom(200, 400, 500), (whole, transactions, http) => {
        const outcome = ask(order(whole, transactions), OURS, http);
        if (!isDefinite(outcome)) return;
        expect(http).toBe(200);
        expect(whole).toBe(outcome.kind === 'succeeded' ? 'SUCCESS' : 'REFUNDED');
        if (outcome.kind === 'succeeded')
          for (const each of transactions) expect(each).toHaveProperty('status', 'SUCCESS');
      }),
    );
  });
});
