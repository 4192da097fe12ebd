import { describe, expect, it } from '@jest/globals';
import type { CallbackReading, RawCallback } from '../supplier-adapter.js';
import { wepayCallbacks } from './wepay-callbacks.js';

const read = (body: string | Buffer): CallbackReading => {
  const received = { body: Buffer.from(body), receivedAt: new Date() };
  const raw: RawCallback = { method: 'POST', headers: {}, query: {}, ...received };
  return wepayCallbacks.read(raw, {});
};
const plain = (body: string): object => ({ status: 200, contentType: 'text/plain; charset=utf-8', body });

describe('a callback of wePAY', () => {
  it.each(['2', '4', '3', ''])('with status %j only names its purchase', (status) => {
    const fields = { dest_ref: 'TU7Q2M0001A1', transaction_id: '7001', status, cashcard_ref2: '4242' };
    expect(read(new URLSearchParams(fields).toString())).toEqual({
      kind: 'about',
      reference: 'TU7Q2M0001A1',
      supplierReference: '7001',
      reply: plain('SUCCEED|ORDER_ID=TU7Q2M0001A1'),
    });
  });

  it('may have the code of a cash card', () => {
    const body = Buffer.from('dest_ref=TU7Q2M0001A1&sms=serial_no%3A12%2Cpassword%3A0042');
    expect(wepayCallbacks.deliveriesIn?.(body)).toEqual([{ serial: '12', code: '0042', expiresOn: null }]);
  });

  it('may lack the supplier’s reference', () => {
    expect(read('dest_ref=TU7Q2M0001A1&status=2&transaction_id=')).toEqual({
      kind: 'about',
      reference: 'TU7Q2M0001A1',
      reply: plain('SUCCEED|ORDER_ID=TU7Q2M0001A1'),
    });
  });

  it.each(['', 'transaction_id=7001&status=2', 'dest_ref=', 'dest_ref=a%0ab', '{"dest_ref":"x"}', Buffer.of(0xff)])(
    'is unreadable as %j',
    (body) => {
      const reading = read(body);
      expect(reading.kind).toBe('unreadable');
      expect(reading.reply?.body).toMatch(/^ERROR\|/);
    },
  );
});
