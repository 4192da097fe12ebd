import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CallbackReading } from '../supplier-adapter.js';
import { digiflazzCallbacks } from './digiflazz-callbacks.js';

const SECRET = 'hook-secret-1';
const BODY =
  '{"data":{"trx_id":"5ca22497cc6d0f965d9f84ac","ref_id":"TU7Q2M0001A1","customer_no":"1234567892001",' +
  '"buyer_sku_code":"ml86","message":"Transaksi Sukses","status":"Sukses","rc":"00","buyer_last_saldo":990000,' +
  '"sn":"1234567890","price":10000}}';
const SIGNATURE = 'sha1=0b4f260ed7c81d609fc2fe911e3606fc513d256b';
const DELIVERY = '9a6b1f0e-3f5e-4c2e-9c62-0e2b8f1d7a55';
const PING = '{"sed":"A ping","hook_id":"hook-1","hook":{"type":"webhook","id":"hook-1"}}';

const sign = (body: string | Buffer, secret = SECRET): string =>
  `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;

type Headers = Record<string, string | undefined>;

const read = (body: string | Buffer, headers: Headers, webhookSecret: string | null): CallbackReading =>
  digiflazzCallbacks.read(
    { method: 'POST', headers, query: {}, body: Buffer.from(body as string), receivedAt: new Date() },
    { webhookSecret },
  );
const signed = (body: string | Buffer, headers: Headers = {}): CallbackReading =>
  read(body, { 'x-hub-signature': sign(body), ...headers }, SECRET);
/** A callback with changed members. */
const reported = (changes: object): CallbackReading => {
  const { data } = JSON.parse(BODY) as { data: object };
  return signed(JSON.stringify({ data: { ...data, ...changes } }));
};

describe('a callback', () => {
  it('settles its transaction if the secret signed it', () => {
    const headers = { 'x-hub-signature': SIGNATURE, 'x-digiflazz-delivery': DELIVERY };
    expect(read(BODY, { ...headers, 'x-digiflazz-event': 'update' }, SECRET)).toEqual({
      kind: 'about',
      reference: 'TU7Q2M0001A1',
      supplierReference: '5ca22497cc6d0f965d9f84ac',
      deliveryId: DELIVERY,
      outcome: {
        kind: 'succeeded',
        supplierReference: '5ca22497cc6d0f965d9f84ac',
        cost: { micros: 10_000_000_000n, currency: 'IDR' },
        deliveries: [{ serial: null, code: '1234567890', expiresOn: null }],
      },
      purchase: {
        sku: 'ml86',
        player: '1234567892001',
        cost: { micros: 10_000_000_000n, currency: 'IDR' },
      },
    });
  });

  it.each([
    ['was written anew', JSON.stringify(JSON.parse(BODY), null, 1), SIGNATURE],
    ['was signed with another secret', BODY, sign(BODY, 'hook-secret-2')],
    ['has no signature', BODY, undefined],
    ['has a signature without its prefix', BODY, SIGNATURE.slice('sha1='.length)],
    ['has the prefix of another algorithm', BODY, SIGNATURE.replace('sha1', 'sha2')],
  ])('is refused if it %s', (_why, body, signature) => {
    expect(read(body, { 'x-hub-signature': signature }, SECRET).kind).toBe('refused');
  });

  it('has the same outcome whatever headers it has besides the signature, because they are not signed', () => {
    for (const event of ['create', 'update', 'ping', undefined]) {
      expect(signed(BODY, { 'x-digiflazz-event': event })).toEqual(signed(BODY));
    }
    expect(signed(BODY, { 'x-digiflazz-delivery': 'a\nb' })).not.toHaveProperty('deliveryId');
  });

  it('without a secret only causes an inquiry, signed or not', () => {
    for (const headers of [{}, { 'x-hub-signature': SIGNATURE }, { 'x-hub-signature': 'sha1=0' }]) {
      const reading = read(BODY, headers, null);
      expect(reading).toMatchObject({ kind: 'about', reference: 'TU7Q2M0001A1' });
      expect(reading).not.toHaveProperty('outcome');
    }
  });

  it('is unreadable if it is signed but has no transaction with a reference', () => {
    for (const body of ['', '[]', '{}', '{"data":[]}', '{"data":{"rc":"00"}}', BODY.replace('TU7Q', '\\u0000')]) {
      expect(signed(body).kind).toBe('unreadable');
    }
    expect(signed(Buffer.concat([Buffer.from(BODY), Buffer.from([0xff])])).kind).toBe('unreadable');
  });

  it('makes a failure by timeout final', () => {
    for (const rc of ['01', '70']) {
      expect(reported({ status: 'Gagal', rc })).toMatchObject({ outcome: { kind: 'failed', failover: true } });
      expect(reported({ status: 'Gagal', rc })).not.toHaveProperty('outcome.confirm');
    }
  });

  it.each([
    ['a refused transaction', { status: 'Gagal', rc: '54' }, 'failed'],
    ['a refund', { status: 'Gagal', rc: '74' }, 'failed'],
    ['a pending transaction', { status: 'Pending', rc: '03' }, 'processing'],
    ['a refusal before any transaction was stored', { status: 'Gagal', rc: '68' }, 'unknown'],
    ['a repeated reference', { status: 'Gagal', rc: '49' }, 'unknown'],
    ['requests that come too often', { status: 'Gagal', rc: '85' }, 'unknown'],
    ['a status that contradicts its code', { status: 'Sukses', rc: '02' }, 'unknown'],
  ])('reports %s by %j: the outcome is %s', (_what, changes, kind) => {
    expect(reported(changes)).toMatchObject({ kind: 'about', outcome: { kind } });
  });
});

describe('a ping', () => {
  it('is answered if it is signed like a callback, or if no secret is set', () => {
    expect(signed(PING)).toEqual({ kind: 'ping' });
    expect(read(PING, {}, null)).toEqual({ kind: 'ping' });
    for (const signature of [undefined, SIGNATURE]) {
      expect(read(PING, { 'x-hub-signature': signature }, SECRET).kind).toBe('refused');
    }
  });

  it('can’t contain a transaction', () => {
    expect(signed(PING.replace('{', '{"data":{},')).kind).toBe('unreadable');
  });
});

describe('any text', () => {
  it('is read without an exception, and settles nothing unless the secret signed it', () => {
    const object = fc.oneof(
      fc.json(),
      fc.json().map((data) => `{"data":${data}}`),
      fc.constant(BODY),
    );
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      object.map((text) => Buffer.from(text)),
    );
    const header = fc.oneof(fc.string(), fc.constantFrom(SIGNATURE, '', 'sha1='));
    const headers = fc.oneof(
      fc.dictionary(fc.constantFrom('x-hub-signature', 'x-digiflazz-delivery', 'x-digiflazz-event'), header),
      fc.constant('fitting' as const),
    );
    fc.assert(
      fc.property(body, headers, fc.constantFrom(SECRET, null), (bytes, given, secret) => {
        const all: Headers = given === 'fitting' ? { 'x-hub-signature': sign(bytes) } : given;
        const reading = digiflazzCallbacks.read(
          { method: 'POST', headers: all, query: {}, body: bytes, receivedAt: new Date() },
          { webhookSecret: secret },
        );
        if (secret === null) expect(reading).not.toHaveProperty('outcome');
        else if (all['x-hub-signature'] !== sign(bytes)) expect(reading.kind).toBe('refused');
      }),
      { numRuns: 10_000 },
    );
  });
});
