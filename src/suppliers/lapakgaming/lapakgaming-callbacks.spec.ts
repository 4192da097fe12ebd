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
  it('about an order only names it: by our reference, or else by the supplier’s', () => {
    const ended = { tid: 'RA1', status: 'SUCCESS', transactions: [{ status: 'SUCCESS', voucher_code: 'X' }] };
    expect(read(order({ ...ended, reference_id: 'T0123456789ABCDE' }))).toEqual({
      kind: 'about',
      reference: 'T0123456789ABCDE',
    });
    expect(read(order(ended))).toEqual({ kind: 'about', supplierReference: 'RA1' });
  });

  it('about a product reports that it changed', () => {
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

  it('is unreadable if it is about neither', () => {
    for (const body of ['', '[]', '{}', '{"data":[]}', '{"data":{}}', '{"data":{"code":"a\\u0000"}}'])
      expect(read(body).kind).toBe('unreadable');
    expect(read(Buffer.from([0x7b, 0xff])).kind).toBe('unreadable');
  });

  it('never throws and never has an outcome, with any body', () => {
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
