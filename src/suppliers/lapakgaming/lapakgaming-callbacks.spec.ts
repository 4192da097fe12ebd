import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CallbackReading } from '../supplier-adapter.js';
import { lapakgamingCallbacks } from './lapakgaming-callbacks.js';

const read = (body: string | Buffer): CallbackReading =>
  lapakgamingCallbacks.read(
    { method: 'POST', headers: {}, query: {}, body: Buffer.from(body as string), receivedAt: new Date() },
    undefined,
  );

const order = (data: object): string => JSON.stringify({ code: 'SUCCESS', data });

describe('a callback', () => {
  it('of an order only says which: by our reference, or else by theirs', () => {
    const ended = { tid: 'RA1', status: 'SUCCESS', transactions: [{ status: 'SUCCESS', voucher_code: 'X' }] };
    expect(read(order({ ...ended, reference_id: 'T0123456789ABCDE' }))).toEqual({
      kind: 'about',
      reference: 'T0123456789ABCDE',
    });
    expect(read(order(ended))).toEqual({ kind: 'about', supplierReference: 'RA1' });
  });

  it('of a product says that it changed', () => {
    const product = {
      code: 'ML78_8-S2',
      name: '78 Diamonds',
      provider_code: 'S2',
      price: 19_500,
      status: 'empty',
    };
    expect(read(JSON.stringify({ data: product, meta: {} }))).toEqual({
      kind: 'products',
      skus: ['ML78_8-S2'],
    });
  });

  it('is unreadable when it is about neither', () => {
    for (const body of ['', '[]', '{}', '{"data":[]}', '{"data":{}}', '{"data":{"code":"a\\u0000"}}'])
      expect(read(body).kind).toBe('unreadable');
    expect(read(Buffer.from([0x7b, 0xff])).kind).toBe('unreadable');
  });

  it('never throws and never has an outcome, whatever it holds', () => {
    const body = fc.oneof(
      fc.json(),
      fc.json().map((data) => `{"data":${data}}`),
      fc.string(),
    );
    fc.assert(
      fc.property(body, (text) => {
        expect(read(text)).not.toHaveProperty('outcome');
      }),
    );
  });
});
