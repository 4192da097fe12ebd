import { afterEach, describe, expect, it } from '@jest/globals';
import { startEasySlip } from '../../tools/simulators/easyslip/vendor.js';
import { type Json, SimulatorBench, SimulatorClient } from './simulator-client.js';
import { killSimulators, SimulatorProcess } from './simulator-process.js';

const KEY = 'easyslip-test-key';
const PAYLOAD = '0041000600000101030140220202611241530XYZ012345102TH9104F4F2';
const TRANS_REF = '202611241530XYZ01234';

interface Answer extends Json {
  http: number;
}

class EasySlipClient extends SimulatorClient {
  slip(more: Json = {}): Promise<Json> {
    return this.sim('slips', { payload: PAYLOAD, trans_ref: TRANS_REF, ...more });
  }

  verify(more: Json = {}, key: string | null = KEY): Promise<Answer> {
    const body = JSON.stringify({ payload: PAYLOAD, ...more });
    return this.call('POST', 'v2/verify/bank', key, body);
  }

  verifyOld(more: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', `api/v1/verify?${new URLSearchParams({ payload: PAYLOAD, ...more }).toString()}`);
  }

  async call(method: string, path: string, key: string | null = KEY, body?: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) };
    const response = await fetch(`${this.url}/${path}`, { method, headers, ...(body !== undefined && { body }) });
    return { ...((await response.json()) as Answer), http: response.status };
  }
}

const bench = new SimulatorBench(startEasySlip, EasySlipClient);
afterEach(async () => {
  await killSimulators();
  await bench.clear();
});

describe('the second version', () => {
  it('reports a slip with its receiver masked, and no duplicate unless it is wanted', async () => {
    const client = await bench.start();
    await client.slip({ amount: '1500.37', date: '2026-11-24T15:30:00+07:00', ref1: 'DH7K3M9QX2B4' });
    const answer = await client.verify();
    expect(answer).toMatchObject({
      http: 200,
      success: true,
      data: {
        isDuplicate: false,
        matchedAccount: null,
        amountInSlip: 1500.37,
        rawSlip: {
          payload: PAYLOAD,
          transRef: TRANS_REF,
          date: '2026-11-24T15:30:00+07:00',
          amount: { amount: 1500.37 },
          ref1: 'DH7K3M9QX2B4',
          sender: { bank: { id: '014' } },
          receiver: { bank: { id: '004' }, account: { bank: { account: 'xxxxxx6789' } } },
        },
      },
    });
    expect(await client.verify()).toMatchObject({ data: { isDuplicate: false } });
    expect(await client.verify({ checkDuplicate: true })).toMatchObject({ http: 200, data: { isDuplicate: true } });
    expect(await client.purchase(PAYLOAD)).toMatchObject({ sends: 3, times_bought: 1, price_debited: 3 });
    expect((await client.journal(PAYLOAD)).map(({ times_seen }) => times_seen)).toEqual([1, 2, 3]);
  });

  it('matches our account and an amount if that is wanted', async () => {
    const client = await bench.start();
    await client.slip();
    expect(await client.verify({ matchAccount: true, matchAmount: 999 })).toMatchObject({
      data: { matchedAccount: { bank: { code: '004' }, bankNumber: '012-3-45678-9' }, isAmountMatched: false },
    });
    await client.slip({ receiver_account: '1111111111' });
    expect(await client.verify({ matchAccount: true })).toMatchObject({ data: { matchedAccount: null } });
  });

  it.each([
    ['middle', '01xxxx6789', '08xxxx5678'],
    ['dashes', 'xxx-x-x5678-x', 'xxx-x-x4567-x'],
    ['three_digits', 'xxxxxxx789', 'xxxxxxx678'],
  ])('masks accounts and proxies by %s', async (mask, bank, proxy) => {
    const client = await bench.start({ mask });
    await client.slip({ receiver_proxy: '0812345678' });
    const receiver = { account: { bank: { account: bank }, proxy: { type: 'MSISDN', account: proxy } } };
    expect(await client.verify()).toMatchObject({ data: { rawSlip: { receiver } } });
  });

  it.each<[Json, Json]>([
    [{ duplicates: 'always' }, { isDuplicate: true, matchedAccount: null }],
    [{ matched_account: 'always' }, { isDuplicate: false, matchedAccount: { bankNumber: '012-3-45678-9' } }],
  ])('follows the readings %j', async (readings, data) => {
    const client = await bench.start(readings);
    await client.slip();
    await client.verify();
    expect(await client.verify()).toMatchObject({ data });
  });
});

describe('the first version', () => {
  it('answers a duplicate with 400 and the data', async () => {
    const client = await bench.start();
    await client.slip({ receiver_account: null, receiver_proxy: '110555123456701', proxy_type: 'BILLERID' });
    const receiver = { account: { proxy: { type: 'BILLERID', account: 'xxxxxxxxxxx6701' } } };
    expect(await client.verifyOld()).toMatchObject({ http: 200, status: 200, data: { transRef: TRANS_REF, receiver } });
    expect(await client.verifyOld({ checkDuplicate: 'true' })).toMatchObject({
      http: 400,
      status: 400,
      message: 'duplicate_slip',
      data: { transRef: TRANS_REF, amount: { amount: 1000 } },
    });
  });
});

describe('both versions', () => {
  it.each<[string, Json, (client: EasySlipClient) => Promise<unknown>, [number, string, string]]>([
    ['an unknown slip', {}, () => Promise.resolve(), [404, 'SLIP_NOT_FOUND', 'slip_not_found']],
    ['no quota', { quota: 0 }, (client) => client.slip(), [403, 'QUOTA_EXCEEDED', 'quota_exceeded']],
    ['a wrong key', { api_key: 'another' }, (client) => client.slip(), [401, 'INVALID_API_KEY', 'unauthorized']],
  ])('refuse %s', async (_, account, prepare, [http, code, message]) => {
    const client = await bench.start({}, account);
    await prepare(client);
    expect(await client.verify()).toMatchObject({ http, success: false, error: { code } });
    expect(await client.verifyOld()).toMatchObject({ http, status: http, message });
  });

  it('refuse payloads that are empty or too long, and calls without a key', async () => {
    const client = await bench.start();
    expect(await client.verify({ payload: '' })).toMatchObject({ http: 400, error: { code: 'VALIDATION_ERROR' } });
    expect(await client.verify({ payload: '1'.repeat(129) })).toMatchObject({ http: 400 });
    expect(await client.verifyOld({ payload: '' })).toMatchObject({ http: 400, message: 'invalid_payload' });
    expect(await client.verify({}, null)).toMatchObject({ http: 401, error: { code: 'MISSING_API_KEY' } });
  });

  it.each([
    ['not_found', 404, 'SLIP_NOT_FOUND'],
    ['pending', 404, 'SLIP_PENDING'],
    ['server_error', 500, 'API_SERVER_ERROR'],
  ])('answer %s while the bank is late', async (late_bank, http, code) => {
    const client = await bench.start({ late_bank });
    await client.slip({ late_ms: 60_000 });
    expect(await client.verify()).toMatchObject({ http, error: { code } });
    await client.sim('clock', { advance: '61s' });
    expect(await client.verify()).toMatchObject({ http: 200, data: { isDuplicate: false } });
  });

  it('count calls against the quota, and report it', async () => {
    const client = await bench.start({}, { quota: 2 });
    await client.verify();
    await client.slip();
    await client.verify();
    const data = { usedQuota: 1, maxQuota: 2, remainingQuota: 1 };
    expect(await client.call('GET', 'v2/info')).toMatchObject({ success: true, data });
    expect(await client.call('GET', 'api/v1/me')).toMatchObject({ status: 200, data });
    await client.verifyOld();
    expect(await client.verify()).toMatchObject({ http: 403 });
  });

  it('refuse an address by a rule, each in its own words', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, code: 'IP_NOT_ALLOWED', http: 403, times: 2 });
    expect(await client.verify()).toMatchObject({ http: 403, error: { code: 'IP_NOT_ALLOWED' } });
    expect(await client.verifyOld()).toMatchObject({ http: 403, message: 'access_denied' });
  });

  it('do what rules say: lost answers, 429, 500, pages and other members', async () => {
    const client = await bench.start();
    await client.slip({ amount: '1000.005', date: null });
    const rules = [
      { match: { version: 'v2' }, drop: true },
      { match: { version: 'v2' }, code: 'TOO_MANY_REQUESTS', http: 429 },
      { match: { version: 'v2' }, http: 500 },
      { match: { version: 'v2' }, body: 'html' },
      { match: { version: 'v2' }, set: { amountInSlip: 1 }, omit: ['isDuplicate'] },
    ];
    await client.sim('rules', { rules });
    await expect(client.verify()).rejects.toThrow();
    expect(await client.verify()).toMatchObject({ http: 429, error: { code: 'TOO_MANY_REQUESTS' } });
    await expect(client.verify()).rejects.toThrow('not valid JSON');
    await expect(client.verify()).rejects.toThrow('not valid JSON');
    const { data } = await client.verify();
    expect(data).toMatchObject({ amountInSlip: 1, rawSlip: { amount: { amount: 1000.005 } } });
    expect(data).not.toHaveProperty('isDuplicate');
    expect((data as { rawSlip: Json }).rawSlip).not.toHaveProperty('date');
  });
});

describe('the process', () => {
  it('prints its address and key, and keeps its state when it is killed', async () => {
    const env = { SIMULATOR_DATA_DIR: bench.directory() };
    const first = new SimulatorProcess('easyslip', env);
    const listening = await first.listening();
    expect(JSON.parse(first.stdout)).toEqual({ listening, credentials: { api_key: KEY } });
    const client = new EasySlipClient(listening);
    await client.slip();
    await client.verify();
    await first.end('SIGKILL');
    const again = new EasySlipClient(await new SimulatorProcess('easyslip', env).listening());
    expect(await again.verify({ checkDuplicate: true })).toMatchObject({ data: { isDuplicate: true } });
  });
});
