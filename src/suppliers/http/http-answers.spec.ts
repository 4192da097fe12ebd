import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { HttpAnswer } from '../adapter-http.js';
import { readInquiryAnswer, readSendAnswer } from './http-answers.js';

const REFERENCE = 'ord_Np3O7rcsqNmBTwD7.1.2';
const answer = (status: number, body?: unknown, retryAfter?: string): HttpAnswer => ({
  status,
  body,
  retryAfter,
});
const FIRST = { reference: REFERENCE, isRepeat: false };
const send = (status: number, body?: unknown): string => readSendAnswer(answer(status, body), FIRST).kind;
const inquire = (status: number, body?: unknown): string => readInquiryAnswer(answer(status, body), REFERENCE).kind;
const bought = { reference: REFERENCE, status: 'succeeded', supplier_reference: 'S-1' };

describe('the answer to a send', () => {
  it.each([
    [200, bought, 'succeeded'],
    [201, bought, 'succeeded'],
    [200, { reference: REFERENCE, status: 'failed', failure_code: 'OUT_OF_STOCK' }, 'failed'],
    [200, { reference: REFERENCE, status: 'processing' }, 'processing'],
    [202, { reference: REFERENCE, status: 'processing' }, 'processing'],
    [400, undefined, 'failed'],
    [422, { failure_code: 'INVALID_PLAYER' }, 'failed'],
    [404, { code: 'ITEM_NOT_FOUND' }, 'failed'],
    [401, undefined, 'not_accepted'],
    [403, undefined, 'not_accepted'],
    [408, undefined, 'not_accepted'],
    [425, undefined, 'not_accepted'],
    [429, undefined, 'not_accepted'],
  ])('HTTP %s with %j means %s', (status, body, kind) => {
    expect(send(status, body)).toBe(kind);
  });

  it.each([
    ['a server error', 500, bought],
    ['a gateway error', 502, undefined],
    ['a body that is not JSON', 200, undefined],
    ['an array', 200, [bought]],
    ['another reference', 200, { ...bought, reference: 'ord_Np3O7rcsqNmBTwD7.1.3' }],
    ['no reference', 200, { status: 'succeeded' }],
    ['success with a failure', 200, { ...bought, failure_code: 'OUT_OF_STOCK' }],
    ['a status that is none', 200, { reference: REFERENCE, status: 'ok' }],
    ['an end with 202', 202, bought],
    ['a refusal that says it succeeded', 422, bought],
    ['a refusal of another reference', 400, { reference: 'other', failure_code: 'OUT_OF_STOCK' }],
    ['a 404 of something else', 404, { code: 'NOT_FOUND' }],
    ['a redirect', 302, undefined],
    ['a conflict', 409, undefined],
  ])('%s means unknown', (_name, status, body) => {
    expect(send(status, body)).toBe('unknown');
  });

  it.each([
    [400, undefined],
    [422, { failure_code: 'OUT_OF_STOCK' }],
    [404, { code: 'ITEM_NOT_FOUND' }],
    [200, { reference: REFERENCE, status: 'failed', failure_code: 'OUT_OF_STOCK' }],
  ])(
    'HTTP %s with %j refuses a repeat only if the supplier confirms it, because the first send may have been sold',
    (status, body) => {
      expect(readSendAnswer(answer(status, body), FIRST)).not.toHaveProperty('confirm');
      const repeat = { ...FIRST, isRepeat: true };
      expect(readSendAnswer(answer(status, body), repeat)).toMatchObject({ kind: 'failed', confirm: true });
    },
  );

  it('has the supplier’s failure code if it is one of ours, and SUPPLIER_REJECTED otherwise', () => {
    const read = (failure_code: unknown): unknown => readSendAnswer(answer(422, { failure_code }), FIRST);
    expect(read('LIMIT_EXCEEDED')).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    for (const code of ['E-17', 'toString', 'PARTIALLY_COMPLETED', 7, null]) {
      expect(read(code)).toMatchObject({ code: 'SUPPLIER_REJECTED' });
    }
  });

  it('never has CANCELLED_BY_OPERATOR from a supplier, because a merchant would read it as our operator’s decision', () => {
    const code = { failure_code: 'CANCELLED_BY_OPERATOR' };
    expect(readSendAnswer(answer(422, code), FIRST)).toMatchObject({ code: 'SUPPLIER_REJECTED' });
    const failed = answer(200, { reference: REFERENCE, status: 'failed', ...code });
    expect(readInquiryAnswer(failed, REFERENCE)).toMatchObject({ code: 'SUPPLIER_REJECTED' });
  });

  it('has the readable deliveries', () => {
    const read = (deliveries: unknown): unknown => readSendAnswer(answer(200, { ...bought, deliveries }), FIRST);
    const delivery = { serial: 'S', code: 'C', expires_on: '2027-12-31' };
    expect(read([delivery, { serial: 'T' }])).toMatchObject({
      deliveries: [
        { serial: 'S', code: 'C', expiresOn: '2027-12-31' },
        { serial: 'T', code: null, expiresOn: null },
      ],
    });
    const odd = [null, 'C', { code: 7, expires_on: '2027-02-30' }, { expires_on: 'soon' }];
    const nothing = { serial: null, code: null, expiresOn: null };
    expect(read(odd)).toMatchObject({ kind: 'succeeded', deliveries: [nothing, nothing] });
    for (const none of [undefined, null, delivery, 'C'])
      expect(read(none)).toEqual({ kind: 'succeeded', supplierReference: 'S-1' });
  });

  it('has the wait that the supplier requests, up to ten minutes', () => {
    const wait = (text: string): unknown => readSendAnswer(answer(429, undefined, text), FIRST);
    expect(wait('7')).toMatchObject({ retryAfterMs: 7_000 });
    expect(wait('86400')).toMatchObject({ retryAfterMs: 600_000 });
    expect(wait('soon')).not.toHaveProperty('retryAfterMs');
  });

  it('is a refusal, or not accepted, only if the protocol defines it so', () => {
    const defined = new Set([200, 201, 400, 401, 403, 404, 408, 422, 425, 429]);
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.anything(), (status, body) => {
        if (!defined.has(status)) expect(['unknown', 'processing']).toContain(send(status, body));
      }),
    );
  });
});

describe('the answer to an inquiry', () => {
  it('is "never seen" only for a 404 in the form of the protocol', () => {
    expect(inquire(404, { code: 'NOT_FOUND' })).toBe('never_seen');
    expect(inquire(404, { code: 'ITEM_NOT_FOUND' })).toBe('unknown');
    expect(inquire(404)).toBe('unknown');
    expect(inquire(404, { ...bought, code: 'NOT_FOUND' })).toBe('unknown');
  });

  it('settles a unit only if it is a 200 about this unit', () => {
    expect(inquire(200, bought)).toBe('succeeded');
    expect(inquire(200, { ...bought, reference: 'other' })).toBe('unknown');
    expect(inquire(400, { failure_code: 'OUT_OF_STOCK' })).toBe('unknown');
    expect(inquire(500, bought)).toBe('unknown');
  });
});
