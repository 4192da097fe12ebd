import { afterEach, describe, expect, it } from '@jest/globals';
import type { Received } from '../support/webhook-receiver.js';
import { OpnBench, OpnClient, PUBLIC_KEY, SECRET_KEY, signatureOf, WEBHOOK_SECRET, type Json } from './opn-client.js';
import { killSimulators, SimulatorProcess } from './simulator-process.js';

const bench = new OpnBench();
afterEach(async () => {
  await killSimulators();
  await bench.clear();
});

const eventOf = ({ body }: Received): { key: string; data: Json } => JSON.parse(body) as { key: string; data: Json };
const keysOf = (all: readonly Received[]): string[] => all.map((each) => eventOf(each).key);
const pay = (client: OpnClient, ref_id: string, more: Json = {}): Promise<Json[]> =>
  client.sim<Json[]>('settle', { ref_id, status: 'successful', ...more });

describe('a charge', () => {
  it('is made of a source, has an image, and is paid', async () => {
    const client = await bench.start();
    const charge = await client.charge('dep_1');
    expect(charge).toMatchObject({
      http: 200,
      object: 'charge',
      amount: 100_037,
      currency: 'THB',
      status: 'pending',
      paid: false,
      refunded_amount: 0,
      livemode: false,
      metadata: { deposit: 'dep_1', reference_id: 'invoice-1' },
      source: { object: 'source', flow: 'offline', type: 'promptpay', scannable_code: { type: 'qr' } },
    });
    const { download_uri } = (charge as unknown as { source: { scannable_code: { image: { download_uri: string } } } })
      .source.scannable_code.image;
    const image = await fetch(download_uri);
    expect(image.headers.get('content-type')).toBe('image/svg+xml');
    expect(await image.text()).toMatch(/^<svg .*<\/svg>$/);
    await pay(client, 'dep_1', { amount: 90_000 });
    expect(await client.get(`charges/${charge.id}`)).toMatchObject({
      status: 'successful',
      paid: true,
      amount: 90_000,
    });
    await client.sim('clock', { advance: '25h' });
    expect(await client.get(`charges/${charge.id}`)).toMatchObject({ status: 'successful' });
    expect(await client.sim('account')).toMatchObject({ balance: 90_000 });
    expect(await client.purchase('dep_1')).toMatchObject({ id: charge.id, times_bought: 1, standing: 1 });
  });

  it('takes a form as well', async () => {
    const client = await bench.start();
    const { id: source } = await client.source();
    const form = new URLSearchParams({ amount: '100037', currency: 'thb', source, 'metadata[deposit]': 'dep_1' });
    const authorization = `Basic ${Buffer.from(`${SECRET_KEY}:`).toString('base64')}`;
    const response = await fetch(`${client.url}/charges`, { method: 'POST', headers: { authorization }, body: form });
    expect(await response.json()).toMatchObject({ metadata: { deposit: 'dep_1' }, status: 'pending' });
  });

  it.each<[string, (client: OpnClient) => Promise<Json>, Json]>([
    ['the secret key for a source', (client) => client.source(100_000, SECRET_KEY), { http: 401 }],
    ['the secret key for the capability', (client) => client.get('capability'), { http: 401 }],
    ['the public key for a charge', (client) => client.get('charges', PUBLIC_KEY), { http: 401 }],
    ['an amount below the limit', (client) => client.source(1_999), { http: 400, code: 'invalid_amount' }],
    ['an amount above the limit', (client) => client.source(15_000_001), { http: 400, code: 'invalid_amount' }],
    ['a part of a satang', (client) => client.source(2_000.5), { http: 400, code: 'invalid_amount' }],
    ['an unknown source', (client) => client.charge('d', { source: 'src_x' }), { http: 404, code: 'not_found' }],
    ['an unknown charge', (client) => client.get('charges/chrg_x'), { http: 404, code: 'not_found' }],
  ])('is refused for %s', async (_, call, expected) => {
    expect(await call(await bench.start())).toMatchObject({ object: 'error', ...expected });
  });

  it('is of a kind that the account can make, as its public key shows', async () => {
    const client = await bench.start();
    expect(await client.get('capability', PUBLIC_KEY)).toMatchObject({
      http: 200,
      object: 'capability',
      payment_methods: [{ name: 'promptpay', currencies: ['THB'] }],
    });
  });

  it('uses its source once', async () => {
    const client = await bench.start();
    const { id: source } = await client.source();
    expect(await client.charge('dep_1', { source })).toMatchObject({ status: 'pending' });
    expect(await client.charge('dep_2', { source })).toMatchObject({ http: 400, code: 'used_source' });
  });

  it('expires at its time, or when the client wants it; then it is payable or not', async () => {
    const client = await bench.start();
    const expires_at = new Date(Date.now() + 900_000).toISOString();
    const { id } = await client.charge('dep_1', { expires_at });
    await client.sim('clock', { advance: '901s' });
    expect(await client.get(`charges/${id}`)).toMatchObject({ status: 'expired', expired: true, paid: false });
    await pay(client, 'dep_1');
    expect(await client.get(`charges/${id}`)).toMatchObject({ status: 'successful', paid: true });
    const other = await client.charge('dep_2');
    expect(await client.call('POST', `charges/${other.id}/expire`)).toMatchObject({ status: 'expired' });
    expect(await client.call('POST', `charges/${other.id}/expire`)).toMatchObject({ http: 400 });
    await client.sim('readings', { expired_code: 'refused' });
    await expect(pay(client, 'dep_2')).rejects.toThrow('expired');
  });

  it.each<[Json, Json]>([
    [{ expires_at: 'ignored' }, { status: 'pending' }],
    [{ expires_at: 'refused' }, { http: 400, code: 'invalid_expires_at' }],
    [{ expires_at: 'honoured' }, { status: 'expired' }],
  ])('follows the readings %j', async (readings, expected) => {
    const client = await bench.start(readings);
    const charge = await client.charge('dep_1', { expires_at: new Date(Date.now() + 60_000).toISOString() });
    await client.sim('clock', { advance: '61s' });
    expect(charge.object === 'error' ? charge : await client.get(`charges/${charge.id}`)).toMatchObject(expected);
  });

  it('is made again for a repeated key, unless the key is honoured', async () => {
    const client = await bench.start();
    const key = { 'idempotency-key': 'k1' };
    const first = await client.charge('dep_1', {}, key);
    expect((await client.charge('dep_1', {}, key)).id).not.toBe(first.id);
    await client.sim('readings', { idempotency_key: 'honoured' });
    expect((await client.charge('dep_1', {}, key)).id).toBe(first.id);
  });

  it('is listed in pages, also newest first and from a time on', async () => {
    const client = await bench.start();
    const ids = [];
    for (const deposit of ['dep_1', 'dep_2', 'dep_3']) ids.push((await client.charge(deposit)).id);
    const list = async (query: string): Promise<unknown[]> =>
      ((await client.get(`charges?${query}`)).data as Json[]).map(({ id }) => id);
    expect(await list('limit=2')).toEqual(ids.slice(0, 2));
    expect(await list('limit=2&offset=2')).toEqual(ids.slice(2));
    expect(await list('order=reverse_chronological')).toEqual(ids.toReversed());
    expect(await list(`from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  });

  it('is in the list of refunds by the time of its refund, where there is one', async () => {
    const client = await bench.start();
    const { id } = await client.charge('dep_1');
    await client.charge('dep_2');
    await pay(client, 'dep_1');
    await client.sim('clock', { advance: '10d' });
    await pay(client, 'dep_1', { refunded_amount: 50_000 });
    const from = new Date(Date.now() + 9 * 86_400_000).toISOString();
    const refund = { object: 'refund', charge: id, amount: 50_000 };
    expect(await client.get(`refunds?from=${from}`)).toMatchObject({ object: 'list', total: 1, data: [refund] });
    expect(await client.get(`charges?from=${from}`)).toMatchObject({ total: 0 });
    await client.sim('readings', { refund_list: 'unknown' });
    expect(await client.get('refunds')).toMatchObject({ http: 404, code: 'not_found' });
  });

  it('can be refunded and reversed', async () => {
    const { client, receiver } = await bench.startWithWebhooks({ create_event: 'not_sent' });
    const { id } = await client.charge('dep_1');
    await pay(client, 'dep_1');
    await pay(client, 'dep_1', { refunded_amount: 50_000 });
    expect(await client.get(`charges/${id}`)).toMatchObject({
      status: 'successful',
      paid: true,
      refunded_amount: 50_000,
    });
    expect(await client.sim('account')).toMatchObject({ balance: 50_037 });
    await client.sim('settle', { ref_id: 'dep_1', status: 'reversed' });
    expect(await client.get(`charges/${id}`)).toMatchObject({ status: 'reversed', reversed: true, paid: false });
    const all = await receiver.arrived('/hook', 3);
    expect(keysOf(all).toSorted()).toEqual(['charge.complete', 'charge.reverse', 'refund.create']);
    const refund = all.map(eventOf).find(({ key }) => key === 'refund.create');
    expect(refund?.data).toMatchObject({ object: 'refund', charge: id, amount: 50_000 });
  });
});

describe('a webhook', () => {
  it('is signed, with two signatures for a day after the secret was rolled', async () => {
    const { client, receiver } = await bench.startWithWebhooks({ create_event: 'not_sent' });
    const webhook_secret = Buffer.from('another secret').toString('base64');
    for (const deposit of ['dep_1', 'dep_2', 'dep_3']) await client.charge(deposit);
    await pay(client, 'dep_1');
    const [first] = await receiver.arrived('/hook');
    expect(first?.headers['omise-signature']).toBe(signatureOf(first as Received));
    await client.sim('account', { webhook_secret });
    await pay(client, 'dep_2');
    const [, second] = await receiver.arrived('/hook', 2);
    const both = [webhook_secret, WEBHOOK_SECRET].map((secret) => signatureOf(second as Received, secret));
    expect(second?.headers['omise-signature']).toBe(both.join(','));
    await client.sim('clock', { advance: '23h' });
    await client.sim('clock', { advance: '1h' });
    await client.sim('callbacks', { ref_id: 'dep_2' });
    const last = receiver.at('/hook').at(-1) as Received;
    expect(last.headers['omise-signature']).toBe(signatureOf(last, webhook_secret));
  });

  it.each(['wrong', 'absent', 'stale', 'other_header'])('has a signature that is %s', async (signature) => {
    const { client, receiver } = await bench.startWithWebhooks({ create_event: 'not_sent' });
    await client.charge('dep_1');
    await client.sim('callbacks', { ref_id: 'dep_1', signature });
    const [received] = receiver.at('/hook');
    const { 'omise-signature': sent, 'omise-signature-timestamp': at } = received?.headers ?? {};
    const right = signatureOf(received as Received);
    if (signature === 'stale') {
      expect(sent).toBe(right);
      expect(Date.now() / 1_000 - Number(at)).toBeGreaterThan(500);
    } else expect(sent).not.toBe(right);
    expect(received?.headers['x-omise-signature']).toBe(signature === 'other_header' ? right : undefined);
  });

  it('comes before the answer, twice, out of order, late, or with another amount', async () => {
    const { client, receiver } = await bench.startWithWebhooks();
    const rule = (ref_id: string, callback: Json, then?: Json[]): Promise<Json> =>
      client.sim('rules', { match: { ref_id }, callback, ...(then && { then }) });
    await rule('dep_1', { mode: 'before_answer' }, [{ status: 'successful' }]);
    expect(await client.charge('dep_1')).toMatchObject({ status: 'pending' });
    expect(keysOf(receiver.at('/hook'))).toEqual(['charge.create', 'charge.complete']);
    await rule('dep_2', { mode: 'twice' });
    await client.charge('dep_2');
    const twice = await receiver.arrived('/hook', 4);
    expect(twice[2]?.body).toBe(twice[3]?.body);
    await rule('dep_3', { mode: 'out_of_order' });
    await client.charge('dep_3');
    await pay(client, 'dep_3');
    expect(keysOf(await receiver.arrived('/hook', 6)).slice(4)).toEqual(['charge.complete', 'charge.create']);
    await rule('dep_4', { delay_ms: 1_500_000 });
    await client.charge('dep_4');
    await client.sim('clock', { advance: '24m' });
    expect(receiver.at('/hook')).toHaveLength(6);
    await client.sim('clock', { advance: '1m' });
    const late = (await receiver.arrived('/hook', 7)).at(-1) as Received;
    expect(late.headers['omise-signature']).toBe(signatureOf(late));
    await client.sim('callbacks', {
      ref_id: 'dep_4',
      set: { amount: 1_000_370, status: 'failed' },
      event: 'charge.complete',
    });
    const forged = (await receiver.arrived('/hook', 8)).at(-1) as Received;
    expect(eventOf(forged)).toMatchObject({ key: 'charge.complete', data: { amount: 1_000_370, status: 'failed' } });
  });
});

describe('rules', () => {
  it('lose answers after the charge was made, and answer 429, 500 and pages', async () => {
    const client = await bench.start();
    const rules = [
      { match: { ref_id: 'dep_1' }, drop: true },
      { match: { ref_id: 'dep_2' }, code: 'too_many_requests', http: 429 },
      { match: { ref_id: 'dep_3' }, http: 500 },
      { match: { call: 'retrieve' }, body: 'html' },
      { match: { call: 'list' }, decide: false },
    ];
    await client.sim('rules', { rules });
    await expect(client.charge('dep_1')).rejects.toThrow();
    expect(await client.purchase('dep_1')).toMatchObject({ status: 'pending' });
    expect(await client.charge('dep_2')).toMatchObject({ http: 429, code: 'too_many_requests' });
    await expect(client.charge('dep_3')).rejects.toThrow('not valid JSON');
    await expect(client.get('charges/chrg_x')).rejects.toThrow('not valid JSON');
    expect(await client.get('charges')).toMatchObject({ http: 500 });
    expect(await client.journal('dep_1')).toMatchObject([{ call: 'charge', decision: 'accepted' }]);
  });
});

describe('the process', () => {
  it('prints its address and credentials, and keeps its state when it is killed', async () => {
    const env = { SIMULATOR_DATA_DIR: bench.directory() };
    const first = new SimulatorProcess('opn', env);
    const one = await first.listening();
    expect(JSON.parse(first.stdout)).toEqual({
      listening: one,
      credentials: { public_key: PUBLIC_KEY, secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET },
    });
    const { id } = await new OpnClient(one).charge('dep_1');
    await first.end('SIGKILL');
    const again = new OpnClient(await new SimulatorProcess('opn', env).listening());
    expect(await again.get(`charges/${id}`)).toMatchObject({ id, metadata: { deposit: 'dep_1' } });
  });
});
