import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/webhook-receiver.js';
import { SeagmBench, SECRET_KEY, sign, type Json } from './seagm-client.js';
import { killSimulators, SimulatorProcess } from './simulator-process.js';

const bench = new SeagmBench();
afterEach(async () => {
  await killSimulators();
  await bench.clear();
});

const fieldsOf = ({ body }: Received): Record<string, string> => Object.fromEntries(new URLSearchParams(body));

function isSigned(received: Received): boolean {
  const { signature, ...fields } = fieldsOf(received);
  return signature === sign(fields);
}

describe('a rule', () => {
  it.each<[number, number]>([
    [400, 400],
    [401, 401],
    [406, 406],
    [429, 429],
    [500, 500],
    [1001, 400],
    [1015, 400],
  ])('answers code %d with HTTP %d, and nothing is bought', async (code, http) => {
    const client = await bench.start();
    await client.sim('rules', { match: { type_id: '6401' }, code, info_code: 30001 });
    expect(await client.buy('REF1')).toMatchObject({ code, http });
    expect(await client.sim('purchases')).toEqual([]);
    expect(await client.buy('REF1')).toMatchObject({ code: 200 });
  });

  it('answers 504 after buying, or a false code', async () => {
    const client = await bench.start();
    await client.sim('rules', {
      rules: [
        { match: { ref_id: 'REF1' }, http: 504 },
        { match: { ref_id: 'REF2' }, code: 1006, answer_only: true },
        { match: { ref_id: 'REF3' }, drop: true, decide: false },
      ],
    });
    await expect(client.buy('REF1')).rejects.toThrow('not valid JSON');
    expect(await client.buy('REF2')).toMatchObject({ code: 1006 });
    await expect(client.buy('REF3')).rejects.toThrow();
    expect(await client.inquire('REF1')).toMatchObject({ data: { mch_order_id: 'REF1' } });
    expect(await client.inquire('REF2')).toMatchObject({ data: { mch_order_id: 'REF2' } });
    expect(await client.inquire('REF3')).toMatchObject({ http: 404, code: 404 });
  });

  it('sets members of the data', async () => {
    const client = await bench.start({ success_code: '2010' });
    await client.sim('rules', { match: {}, set: { status_code: 10009 }, omit: ['id'] });
    const answer = await client.buy('REF1');
    expect(answer).toMatchObject({ code: 2010, data: { status_code: 10009 } });
    expect(answer.data).not.toHaveProperty('id');
  });
});

describe('calls that come too fast', () => {
  it('get 429, then 418 for all calls until the end of the ban; the next ban is longer', async () => {
    const client = await bench.start({ ban_after: 2 });
    await client.sim('rules', { match: { call: 'me' }, code: 429, times: 4 });
    const codes = async (count: number): Promise<number[]> => {
      const all: number[] = [];
      for (let n = 0; n < count; n += 1) all.push((await client.get('v1/me')).http);
      return all;
    };
    expect(await codes(3)).toEqual([429, 429, 418]);
    expect(await client.buy('REF1')).toMatchObject({ http: 418, code: 418 });
    await client.advance(121);
    expect(await codes(1)).toEqual([429]);
    await client.sim('rules', { match: { call: 'me' }, code: 429 });
    expect(await codes(2)).toEqual([429, 418]);
    await client.advance(121);
    expect(await codes(1)).toEqual([418]);
    await client.advance(121);
    await client.sim('rules', undefined, 'DELETE');
    expect(await codes(1)).toEqual([200]);
  });

  it('are counted within a minute', async () => {
    const client = await bench.start({ calls_per_minute: 1, ban_after: 0 });
    await client.get('v1/me');
    expect(await client.get('v1/me')).toMatchObject({ code: 429 });
    await client.advance(61);
    expect(await client.get('v1/me')).toMatchObject({ code: 200 });
  });
});

describe('a callback', () => {
  it('is a signed form, for every state or for the last one', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    const { data } = await client.buy('REF1');
    await receiver.arrived('/hook');
    await client.untilSettled();
    const all = await receiver.arrived('/hook', 2);
    expect(all.map(isSigned)).toEqual([true, true]);
    expect(all.map(fieldsOf)).toMatchObject([
      { id: data?.id, mch_order_id: 'REF1', status_code: '10001', pay_amount: '4.35' },
      { id: data?.id, status_code: '10003', send_amount: '1' },
    ]);
    await client.sim('readings', { callback_of: 'last_state' });
    await client.card('REF2');
    await client.untilSettled();
    const [, , last] = await receiver.arrived('/hook', 3);
    expect(fieldsOf(last as Received)).toMatchObject({ status_code: '10003', mch_order_id: 'REF2' });
    expect(fieldsOf(last as Received)).not.toHaveProperty('cards');
  });

  it.each(['wrong', 'absent', 'stale'])('has a signature that is %s', async (signature) => {
    const { client, receiver } = await bench.startWithCallbacks({ callback_of: 'last_state' });
    await client.sim('rules', { match: {}, callback: { signature, mode: 'before_answer' } });
    await client.buy('REF1');
    const [received] = receiver.at('/hook');
    expect(isSigned(received as Received)).toBe(false);
    expect('signature' in fieldsOf(received as Received)).toBe(signature !== 'absent');
  });

  it('has the members that a test sets, signed, or with the signature of the true members', async () => {
    const { client, receiver } = await bench.startWithCallbacks({ callback_of: 'last_state' });
    await client.sim('rules', { match: {}, then: [] });
    await client.buy('REF1');
    await client.sim('callbacks', { ref_id: 'REF1', set: { status_code: 10003 } });
    await client.sim('callbacks', { ref_id: 'REF1', set: { pay_amount: '1.00' }, signature: 'stale' });
    const all = await receiver.arrived('/hook', 2);
    expect(all.map(isSigned)).toEqual([true, false]);
    expect(all.map(fieldsOf)).toMatchObject([{ status_code: '10003' }, { pay_amount: '1.00' }]);
  });

  it('is delivered again until the answer is the word success', async () => {
    const { client } = await bench.startWithCallbacks({ callback_of: 'last_state', retry_schedule_ms: [] });
    await client.buy('REF1');
    await client.sim('settle', { ref_id: 'REF1', status_code: 10004 });
    const tried = await eventually(
      () => client.sim<Json[]>('callbacks'),
      ([only]) => only?.state !== 'waiting',
    );
    expect(tried).toMatchObject([{ state: 'given_up', attempts: [{ status: 204, body: '' }] }]);
  });
});

describe('the process', () => {
  it.each([
    ['seagm', { uid: '10001', secret_key: SECRET_KEY }],
    ['wepay', { username: 'demo-wepay', password: 'p4ss-Test' }],
  ])('of %s prints its address, and keeps its state when it is killed', async (vendor, credentials) => {
    const env = { SIMULATOR_DATA_DIR: bench.directory(), SIMULATOR_ACCOUNT: '{"balance":"12.34"}' };
    const first = new SimulatorProcess(vendor, env);
    const listening = await first.listening();
    expect(JSON.parse(first.stdout)).toEqual({ listening, credentials });
    await fetch(`${listening}/v1/me`);
    await first.end('SIGKILL');
    const second = await new SimulatorProcess(vendor, {
      SIMULATOR_DATA_DIR: env.SIMULATOR_DATA_DIR,
    }).listening();
    const account = await (await fetch(`${second}/_sim/account`)).json();
    expect(account).toMatchObject({ balance: expect.stringMatching(/^12\.34(00)?$/) });
    expect(await (await fetch(`${second}/_sim/journal`)).json()).toMatchObject([{ path: '/v1/me' }]);
  });
});
