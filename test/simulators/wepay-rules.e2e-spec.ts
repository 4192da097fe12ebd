import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/webhook-receiver.js';
import { WepayBench, type Json } from './wepay-client.js';

const bench = new WepayBench();
afterEach(() => bench.clear());

const CARD = { type: 'cashcard', pay_to_company: 'RAZER', pay_to_amount: '50', pay_to_ref1: '0000000000' };
const CODES = ['10001', '10002', '10003', '10004', '20001', '20003', '20004', '20005', '30001', '30005', '30006'];
const MORE_CODES = ['30007', '30008', '30009', '30010', '30011', '30012', '30013', '30016', '30017', '30018'];

const fieldsOf = ({ body }: Received): Json => Object.fromEntries(new URLSearchParams(body));

describe('a rule', () => {
  it.each([...CODES, ...MORE_CODES, '30019', '30020', '99999'])(
    'answers %s: nothing is bought, or it is bought all the same',
    async (code) => {
      const client = await bench.start();
      const rules = [
        { match: { ref_id: 'REF1' }, code },
        { match: { ref_id: 'REF2' }, code, answer_only: true },
        { match: { repeat: true }, code },
      ];
      await client.sim('rules', { rules });
      expect(await client.buy('REF1')).toMatchObject({ code, desc: expect.any(String) });
      expect(await client.buy('REF2')).toMatchObject({ code });
      expect(await client.buy('REF2')).toMatchObject({ code });
      expect(await client.sim('purchases')).toMatchObject([{ ref_id: 'REF2', pending: 1, sends: 2 }]);
      expect(await client.buy('REF1')).toMatchObject({ code: '00000' });
    },
  );

  it.each<[Json, boolean]>([
    [{ company: 'FREEFIRE' }, true],
    [{ company: 'MLBB' }, false],
    [{ type: 'gtopup', player: '12345678' }, true],
    [{ sku: 'gtopup:FREEFIRE:90' }, true],
    [{ sku: 'gtopup:FREEFIRE:90.02' }, false],
  ])('matches %j: %j', async (match, applies) => {
    const client = await bench.start();
    await client.sim('rules', { match, code: '30020' });
    expect(await client.buy('REF1')).toMatchObject({ code: applies ? '30020' : '00000' });
  });

  it('loses the answer after the purchase, or the request before it', async () => {
    const client = await bench.start();
    const rules = [
      { match: { ref_id: 'REF1' }, drop: true },
      { match: { ref_id: 'REF2' }, drop: true, decide: false },
      { match: { call: 'get_output' }, http: 502 },
    ];
    await client.sim('rules', { rules });
    await expect(client.buy('REF1')).rejects.toThrow();
    await expect(client.buy('REF2')).rejects.toThrow();
    expect(await client.buy('REF1')).toMatchObject({ code: '30016' });
    expect(await client.buy('REF2')).toMatchObject({ code: '00000' });
    await expect(client.output('1')).rejects.toThrow('not valid JSON');
    expect(await client.purchase('REF2')).toMatchObject({ sends: 1, pending: 1 });
  });
});

describe('a callback', () => {
  it('is a form to the address of its purchase, once', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    const { transaction_id } = await client.buy('REF1');
    await client.untilSettled();
    const [received] = (await receiver.arrived('/hook')) as [Received];
    expect(received.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(fieldsOf(received)).toEqual({
      dest_ref: 'REF1',
      transaction_id,
      status: '2',
      sms: '',
      operator_trxnsid: expect.stringMatching(/^OP/),
    });
    const given = await eventually(
      () => client.sim<Json[]>('callbacks'),
      ([only]) => only?.state !== 'waiting',
    );
    // The receiver answers without the word SUCCEED.
    expect(given).toMatchObject([{ state: 'given_up', attempts: [{ status: 204 }] }]);
  });

  it.each<[Json, number, string]>([
    [{ mode: 'twice' }, 2, '22'],
    [{ mode: 'out_of_order' }, 1, '2'],
    [{ delay_ms: 60_000 }, 1, '2'],
  ])('follows its rule: %j', async (callback, count, statuses) => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, callback });
    await client.buy('REF1');
    await client.untilSettled();
    await client.sim('clock', { advance: '1m' });
    const all = await receiver.arrived('/hook', count);
    expect(all.map((each) => fieldsOf(each).status).join('')).toBe(statuses);
  });

  it('comes before the answer', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, callback: { mode: 'before_answer' } });
    const { transaction_id } = await client.buy('REF1');
    expect(receiver.at('/hook').map(fieldsOf)).toMatchObject([{ transaction_id, status: '2' }]);
  });

  it('may report a failure, or have members that a test sets', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, then: [] });
    await client.buy('REF1');
    await client.sim('callbacks', { ref_id: 'REF1', set: { status: '2' } });
    expect(await client.purchase('REF1')).toMatchObject({ pending: 1, standing: 0 });
    await client.sim('settle', { ref_id: 'REF1', status: '4' });
    const all = await receiver.arrived('/hook', 2);
    expect(all.map(fieldsOf)).toMatchObject([{ status: '2' }, { status: '4', operator_trxnsid: '' }]);
  });
});

describe('each reading', () => {
  const pin = { serial: 'S1', pin: 'PIN-1' };

  it.each<[string, Json, Json]>([
    ['fields', { cashcard_ref1: 'S1', cashcard_ref2: 'PIN-1', sms: '' }, { cashcard_ref2: 'PIN-1' }],
    ['sms', { sms: 'serial_no:S1,password:PIN-1' }, { sms: 'serial_no:S1,password:PIN-1' }],
    ['absent', { sms: '' }, {}],
  ])('of a card: its PIN is in %s', async (where, inCallback, inOutput) => {
    const readings = { pin_in_callback: where, pin_in_output: where };
    const { client, receiver } = await bench.startWithCallbacks(readings);
    await client.sim('rules', { match: {}, then: [{ status: '2', ...pin }] });
    const output = await client.bought('REF1', CARD);
    expect(fieldsOf((await receiver.arrived('/hook'))[0] as Received)).toMatchObject(inCallback);
    expect(output).toMatchObject(inOutput);
    expect(JSON.stringify(output).includes('PIN-1')).toBe(where !== 'absent');
  });

  it.each<[Json, Record<string, string>, Json]>([
    [{ duplicate_answer: 'with_transaction_id' }, {}, { code: '30016', transaction_id: expect.any(String) }],
    [{ reference_lookup: 'last' }, { pay_to_amount: '91' }, { code: '30007' }],
    [{ reference_lookup: 'last' }, { pay_to_amount: '23.50' }, { code: '30016' }],
    [{ reference_memory_minutes: 0 }, {}, { code: '30016' }],
  ])('of a repeat a day later: %j', async (readings, more, answer) => {
    const client = await bench.start({ reference_memory_minutes: 0, ...readings });
    await client.buy('REF1');
    await client.sim('clock', { advance: '1d' });
    expect(await client.buy('REF1', more)).toMatchObject(answer);
  });

  it.each<[string, string]>([
    ['remembered', '30016'],
    ['released', '00000'],
  ])('of a reference that failed: %s', async (failed_reference, code) => {
    const client = await bench.start({ failed_reference });
    await client.buy('REF1');
    await client.sim('settle', { ref_id: 'REF1', status: '4' });
    expect(await client.buy('REF1')).toMatchObject({ code });
  });

  it.each<[Json, Record<string, string>, Json]>([
    [{ dest_ref_format: '12_to_20' }, {}, { code: '30006' }],
    [{ resp_url: 'optional' }, { resp_url: '' }, { code: '00000' }],
    [{ amount_format: 'any' }, { pay_to_amount: '90.00' }, { code: '00000' }],
    [{ cashcard_ref1: 'any' }, { ...CARD, pay_to_ref1: '1' }, { code: '00000' }],
    [{ wrong_password: '20004' }, { password: 'x' }, { code: '20004' }],
    [{ amount_type: 'number' }, {}, { total_amount: 86.4, balance: 99913.6 }],
    [{ id_type: 'number' }, {}, { transaction_id: expect.any(Number) }],
    [{ debit: 'on_success' }, {}, { balance: '100000.00' }],
    [{ calls_per_minute: 1 }, {}, { code: '00000' }],
    [
      { server_in: 'ref2' },
      { pay_to_company: 'GENSHIN', pay_to_amount: '35', pay_to_ref1: '800000001', pay_to_ref2: 'EU' },
      { code: '00000' },
    ],
    [
      { server_in: 'ref2' },
      { pay_to_company: 'GENSHIN', pay_to_amount: '35', pay_to_ref1: '800000001' },
      { code: '30010' },
    ],
  ])('%j', async (readings, more, answer) => {
    const client = await bench.start(readings);
    expect(await client.buy('REF1', more)).toMatchObject(answer);
  });

  it('of a pending purchase: its output may have a status, and so may a callback', async () => {
    const { client, receiver } = await bench.startWithCallbacks({
      pending_output: 'status',
      pending_callback: 'sent',
      catalogue_price: 'text',
    });
    const { transaction_id } = await client.buy('REF1');
    expect((await client.output(transaction_id as string)).output).toContain('status=1');
    expect(fieldsOf((await receiver.arrived('/hook'))[0] as Received)).toMatchObject({ status: '1' });
    expect((await client.catalogue()).gtopup?.[0]).toMatchObject({
      denomination: [{ price: '90' }, { price: '90.02' }, { price: '23.50' }],
    });
  });

  it('of the limit of purchases a minute', async () => {
    const client = await bench.start({ calls_per_minute: 1, refusal_http_status: 200 });
    await client.balance();
    expect(await client.balance()).toMatchObject({ code: '10003' });
    await client.sim('clock', { advance: '61s' });
    expect(await client.balance()).toMatchObject({ code: '00000' });
  });
});
