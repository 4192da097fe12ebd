import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/webhook-receiver.js';
import { DigiflazzBench, type Json } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

const dataOf = ({ body }: Received): Json => (JSON.parse(body) as { data: Json }).data;
const signatureOf = ({ body }: Received, secret = 'hook-secret-1'): string =>
  `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
const states = (all: Received[]): unknown[] =>
  all.map((each) => [each.headers['x-digiflazz-event'], dataOf(each).status]);

describe('a callback', () => {
  it('is signed over its bytes, and has the state of the transaction', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    const answer = await client.transaction('A1');
    const [received] = (await receiver.arrived('/hook')) as [Received];
    const { tele, wa, ...data } = answer.data;
    expect(dataOf(received)).toEqual({ ...data, tele, wa, trx_id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Digiflazz-Hookshot',
      'x-digiflazz-event': 'create',
      'x-digiflazz-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-hub-signature': signatureOf(received),
    });
  });

  it('is not signed without a secret', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('account', { webhook: { secret: null } });
    const [ping] = (await receiver.arrived('/hook')) as [Received];
    await client.transaction('A1');
    const [, received] = await receiver.arrived('/hook', 2);
    for (const each of [ping, received]) expect(each?.headers['x-hub-signature']).toBeUndefined();
  });

  it('goes to the address of the transaction, or else to that of the account', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.transaction('A1', { cb_url: receiver.url('/own') });
    const [own] = (await receiver.arrived('/own')) as [Received];
    expect(own.headers['x-hub-signature']).toBe(signatureOf(own));
    await client.sim('readings', { cb_url_signature: 'absent' });
    await client.transaction('A2', { cb_url: receiver.url('/own') });
    const [, unsigned] = await receiver.arrived('/own', 2);
    expect(unsigned?.headers['x-hub-signature']).toBeUndefined();
    expect(receiver.at('/hook')).toEqual([]);
  });

  it('comes at the end of a pending transaction, by itself or by a command', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.transaction('A1', { buyer_sku_code: 'pending' });
    await client.transaction('A2', { buyer_sku_code: 'pending', customer_no: '2' });
    await receiver.arrived('/hook', 2);
    await client.sim('settle', { ref_id: 'A2', rc: '54' });
    await receiver.arrived('/hook', 3);
    await client.untilSettled();
    const all = await receiver.arrived('/hook', 4);
    const pending = ['create', 'Pending'];
    expect(states(all)).toEqual([pending, pending, ['update', 'Gagal'], ['update', 'Sukses']]);
    expect(await client.purchase('A2')).toMatchObject({ rc: '54', price_debited: 0 });
    expect(await client.deposit()).toBe(990_000);
  });

  it('is delivered again after a refusal, until it is accepted or given up', async () => {
    const { client, receiver } = await bench.startWithWebhook({ retry_schedule_ms: [3_600_000, 7_200_000] });
    receiver.answer('/hook', 500, 302, 404, 200);
    await client.transaction('A1');
    const attempted = (count: number): Promise<Json[]> =>
      eventually(
        () => client.sim<(Json & { attempts: Json[] })[]>('callbacks'),
        ([only]) => only?.attempts.length === count,
      );
    await attempted(1);
    await client.sim('clock', { advance: '1h' });
    await attempted(2);
    await client.sim('clock', { advance: '2h' });
    expect(await attempted(3)).toMatchObject([
      { state: 'given_up', attempts: [{ status: 500 }, { status: 302 }, { status: 404 }] },
    ]);
    const ids = receiver.at('/hook').map(({ headers }) => headers['x-digiflazz-delivery']);
    expect(new Set(ids).size).toBe(3);
    await client.sim('callbacks', { redeliver: 1 });
    expect((await receiver.arrived('/hook', 4)).map(({ body }) => body)).toEqual(
      Array(4).fill(receiver.received[0]?.body),
    );
  });

  it('is delivered again under the same delivery id in another reading', async () => {
    const { client, receiver } = await bench.startWithWebhook({
      retry_delivery_id: 'same',
      retry_schedule_ms: [3_600_000],
    });
    receiver.answer('/hook', 503, 200);
    await client.transaction('A1');
    await eventually(
      () => client.sim<{ attempts: Json[] }[]>('callbacks'),
      ([only]) => only?.attempts.length === 1,
    );
    await client.sim('clock', { advance: '1h' });
    const [first, second] = await receiver.arrived('/hook', 2);
    expect(second?.headers['x-digiflazz-delivery']).toBe(first?.headers['x-digiflazz-delivery']);
  });
});

describe('a callback by a rule', () => {
  it('never comes', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: { ref_id: 'A1' }, callback: { mode: 'never' } });
    await client.transaction('A1');
    await client.transaction('A2', { customer_no: '2' });
    expect((await receiver.arrived('/hook')).map((each) => dataOf(each).ref_id)).toEqual(['A2']);
    expect(await client.sim('callbacks?ref_id=A1')).toEqual([]);
  });

  it('comes twice', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: {}, callback: { mode: 'twice' } });
    await client.transaction('A1');
    const [first, second] = await receiver.arrived('/hook', 2);
    expect(second?.body).toBe(first?.body);
  });

  it('comes before the synchronous answer, which is older', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    const then = [{ rc: '00' }];
    await client.sim('rules', { match: {}, rc: '03', then, callback: { mode: 'before_answer' } });
    expect((await client.transaction('A1')).data).toMatchObject({ status: 'Pending' });
    expect(states(receiver.at('/hook'))).toEqual([
      ['create', 'Pending'],
      ['update', 'Sukses'],
    ]);
  });

  it('comes out of order', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: {}, rc: '03', callback: { mode: 'out_of_order' } });
    await client.transaction('A1');
    await client.untilSettled();
    expect(states(await receiver.arrived('/hook', 2))).toEqual([
      ['update', 'Sukses'],
      ['create', 'Pending'],
    ]);
  });

  it('comes 25 minutes late', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: {}, callback: { delay_ms: 25 * 60_000 } });
    await client.transaction('A1');
    await client.sim('clock', { advance: '24m' });
    expect(await client.sim('callbacks')).toMatchObject([{ state: 'waiting', attempts: [] }]);
    await client.sim('clock', { advance: '1m' });
    await receiver.arrived('/hook');
  });

  it('comes from another address', async () => {
    const { client } = await bench.startWithWebhook();
    // This machine does not have the address, so the error shows that the simulator uses it.
    await client.sim('rules', { match: {}, callback: { from: '192.0.2.7' } });
    await client.transaction('A1');
    const tried = await eventually(
      () => client.sim<{ attempts: Json[] }[]>('callbacks'),
      ([only]) => only?.attempts.length === 1,
    );
    expect(tried[0]?.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining('192.0.2.7'),
    });
  });

  it.each<[string, (received: Received) => string | undefined]>([
    ['wrong', (received) => signatureOf(received, 'hook-secret-1-other')],
    ['absent', () => undefined],
    ['no_prefix', (received) => signatureOf(received).slice(5)],
    ['reserialised', ({ body }) => signatureOf({ body: JSON.stringify(JSON.parse(body)) } as Received)],
  ])('has a signature that is %s', async (signature, expected) => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('rules', { match: {}, callback: { signature } });
    await client.transaction('A1');
    const [received] = (await receiver.arrived('/hook')) as [Received];
    expect(received.headers['x-hub-signature']).toBe(expected(received));
    expect(received.headers['x-hub-signature']).not.toBe(signatureOf(received));
  });

  it('reports a refund after a success', async () => {
    const { client, receiver } = await bench.startWithWebhook({ create_event: 'not_sent' });
    await client.sim('rules', { match: {}, rc: '00', then: [{ rc: '74', after_ms: 60_000 }] });
    expect((await client.transaction('A1')).data).toMatchObject({ status: 'Sukses' });
    await client.aMinuteLater();
    expect(dataOf((await receiver.arrived('/hook'))[0] as Received)).toMatchObject({ rc: '74', status: 'Gagal' });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1, standing: 0, price_debited: 0 });
    expect(await client.deposit()).toBe(1_000_000);
  });
});

describe('a callback that a test requests', () => {
  it('has the members that the test sets, about a recorded transaction', async () => {
    const { client, receiver } = await bench.startWithWebhook({ create_event: 'not_sent' });
    await client.transaction('A1');
    const set = { status: 'Pending', rc: '03', customer_no: '777' };
    const sent = await client.sim('callbacks', { ref_id: 'A1', set, event: 'create' });
    expect(sent).toMatchObject({ state: 'delivered' });
    const [received] = (await receiver.arrived('/hook')) as [Received];
    expect(dataOf(received)).toMatchObject({ ref_id: 'A1', ...set });
    expect(received.headers['x-hub-signature']).toBe(signatureOf(received));
  });
});

describe('a ping', () => {
  it('comes when a webhook is set up, on request, and by the vendor’s own path', async () => {
    const { client, receiver } = await bench.startWithWebhook();
    await client.sim('account', { webhook: { url: receiver.url('/new') } });
    await receiver.arrived('/new');
    expect(await client.sim('ping', {})).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] });
    expect((await client.send('report/hooks/hook-1/pings', '')).status).toBe(204);
    expect((await client.send('report/hooks/hook-2/pings', '')).status).toBe(404);
    const pings = receiver.at('/new');
    expect(pings).toHaveLength(3);
    for (const ping of pings) {
      expect(JSON.parse(ping.body)).toEqual({
        sed: expect.any(String),
        hook_id: 'hook-1',
        hook: expect.objectContaining({ id: 'hook-1', url: receiver.url('/new') }),
      });
      expect(ping.headers['x-hub-signature']).toBe(signatureOf(ping));
    }
  });

  it.each([
    ['create', 'create'],
    ['ping', 'ping'],
    ['absent', undefined],
  ])('has the event header of the reading %s', async (ping_event, header) => {
    const { client, receiver } = await bench.startWithWebhook({ ping_event });
    await client.sim('ping', {});
    expect(receiver.at('/hook')[0]?.headers['x-digiflazz-event']).toBe(header);
  });
});
