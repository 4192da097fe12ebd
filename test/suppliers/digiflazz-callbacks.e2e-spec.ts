import { afterEach, describe, expect, it } from '@jest/globals';
import { digiflazzCallbacks } from '../../src/suppliers/digiflazz/digiflazz-callbacks.js';
import type { CallbackReading } from '../../src/suppliers/supplier-adapter.js';
import { DigiflazzBench, type Json } from '../simulators/digiflazz-client.js';
import type { Received } from '../support/webhook-receiver.js';
import { NUMBERS, rupiah } from './digiflazz-buyer.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

const SECRET = 'hook-secret-1';

const read = ({ headers, body }: Received, webhookSecret: string | null): CallbackReading =>
  digiflazzCallbacks.read(
    { method: 'POST', headers, query: {}, body: Buffer.from(body), receivedAt: new Date() },
    { webhookSecret },
  );

describe('a message of the supplier’s webhook', () => {
  it.each([
    ['success', NUMBERS.succeedsLater, { kind: 'succeeded', cost: rupiah(10_000n) }],
    ['failure', NUMBERS.failsLater, { kind: 'failed', code: 'SUPPLIER_REJECTED' }],
  ])('reports the %s of a pending purchase', async (_end, customer_no, outcome) => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.transaction('A1', { testing: true, buyer_sku_code: 'xld10', customer_no });
    await client.aMinuteLater();
    const [pending, ended] = await receiver.arrived('/hook', 2);
    const about = {
      kind: 'about',
      reference: 'A1',
      supplierReference: expect.stringMatching(/^[0-9a-f]{24}$/),
      deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    };
    expect(read(pending as Received, SECRET)).toMatchObject({ ...about, outcome: { kind: 'processing' } });
    expect(read(ended as Received, SECRET)).toMatchObject({ ...about, outcome });
    const purchase = { sku: 'xld10', player: customer_no, cost: rupiah(10_000n) };
    const said = outcome.kind === 'succeeded' ? { saysSold: true } : {};
    expect(read(ended as Received, null)).toEqual({ ...about, ...said, purchase });
  });

  it.each(['wrong', 'absent', 'no_prefix', 'reserialised'])('is refused with a signature that is %s', async (how) => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: {}, callback: { signature: how } });
    await client.transaction('A1');
    const [received] = await receiver.arrived('/hook');
    expect(read(received as Received, SECRET).kind).toBe('refused');
  });

  it.each<[string, Json]>([
    ['signed', {}],
    ['signed wrongly', { signature: 'wrong' }],
  ])('may be a ping, %s', async (_how, ping) => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('ping', ping);
    const [received] = await receiver.arrived('/hook');
    expect(read(received as Received, SECRET).kind).toBe('signature' in ping ? 'refused' : 'ping');
    expect(read(received as Received, null).kind).toBe('ping');
  });
});
