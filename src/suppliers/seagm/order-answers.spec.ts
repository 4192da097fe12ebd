import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../core/exact-json.js';
import type { Attempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { readInquiry, readOrderAnswer } from './order-answers.js';
import { orderFields, requestProblem, type OrderKind } from './order-request.js';

const ATTEMPT: Attempt = {
  reference: 'T0123456789ABCDE',
  sku: '6351',
  userId: '123',
  serverId: '2001',
  characterId: null,
  playerTemplate: null,
  endUserIp: null,
  maxCost: null,
  expectedCost: null,
  supplierReference: null,
  isRepeat: false,
};

const answer = (body: unknown, status = 200, retryAfter?: string): HttpAnswer => ({
  status,
  retryAfter,
  body: parseExactJson(typeof body === 'string' ? body : JSON.stringify(body)),
});

const bought = (body: unknown, status = 200, changes: Partial<Attempt> = {}, kind: OrderKind = 'recharge') =>
  readOrderAnswer(answer(body, status), kind, { ...ATTEMPT, ...changes });
const repeated = (body: unknown, status = 200): SupplierOutcome => bought(body, status, { isRepeat: true });

const order = (status_code: unknown, more: object = {}): object => ({
  code: 200,
  msg: 'ok',
  data: {
    id: 88,
    mch_order_id: ATTEMPT.reference,
    status_code,
    pay_amount: '12.995',
    currency: 'MYR',
    ...more,
  },
});

const refusal = (code: number, info_code?: number): object => ({
  code,
  msg: 'no',
  ...(info_code !== undefined && { error_info: { info_code, info_message: 'not so' } }),
});

const COST = { micros: 12_995_000n, currency: 'MYR' };

describe('an order', () => {
  it('is a success if it is done, with the cost in its own currency', () => {
    const succeeded = { kind: 'succeeded', supplierReference: '88', cost: COST };
    for (const code of [200, 2000, 2010, '200']) {
      expect(bought({ ...order(10003), code })).toEqual(succeeded);
      expect(repeated({ ...order('10003'), code })).toEqual(succeeded);
    }
    expect(bought(order(10003, { pay_amount: 'x' }))).toEqual({ kind: 'succeeded', supplierReference: '88' });
  });

  it('is processing while it waits or is sent, and while nothing was delivered', () => {
    const goesOn = { kind: 'processing', supplierReference: '88', cost: COST };
    for (const state of [10001, 10002]) expect(bought(order(state))).toEqual(goesOn);
    expect(bought(order(10003, { send_amount: 0 }))).toEqual(goesOn);
  });

  it('is a refusal if it failed or was refunded', () => {
    for (const state of [10004, 10005]) {
      expect(bought(order(state, { refunded_reason: 'wrong id' }))).toEqual({
        kind: 'failed',
        code: 'SUPPLIER_REJECTED',
        message: 'wrong id',
        failover: true,
        supplierReference: '88',
      });
    }
  });

  it('of a card succeeds only with its PIN', () => {
    const card = (more: object, state: unknown = 10003) => bought(order(state, more), 200, {}, 'card');
    for (const cards of [undefined, null, [], [{}], [{ sn: '1', pin: '' }]])
      expect(card({ cards }).kind).toBe('processing');
    const cards = [
      { sn: 'S1', pin: 'P-1', expired: '2027-12-31 00:00:00' },
      { pin: 77, expired: 1_830_297_600 },
    ];
    const deliveries = [
      { serial: 'S1', code: 'P-1', expiresOn: '2027-12-31' },
      { serial: null, code: '77', expiresOn: '2028-01-01' },
    ];
    expect(card({ cards })).toMatchObject({ kind: 'succeeded', deliveries });
    expect(card({ cards }, undefined)).toMatchObject({ kind: 'succeeded', deliveries });
    expect(card({ cards }, 10002).kind).toBe('processing');
  });

  it('is unknown without a state, without data, or if it is about another order', () => {
    for (const state of [undefined, 'done', 10006]) expect(bought(order(state)).kind).toBe('unknown');
    for (const data of [undefined, null, []]) expect(bought({ code: 200, data }).kind).toBe('unknown');
    expect(bought(order(10003, { mch_order_id: 'T9' }))).toMatchObject({ kind: 'unknown' });
    expect(bought(order(10003), 200, { supplierReference: '89' })).toMatchObject({
      detail: 'reference collision: the answer is about another order',
    });
  });

  it('has the supplier’s reference of a second sale, but not of failed or other orders', () => {
    const besides = { supplierReference: '88', cost: COST };
    const known = { supplierReference: '89' };
    for (const state of [10001, 10002, 10003])
      expect(bought(order(state), 200, known)).toMatchObject({ kind: 'unknown', besides });
    for (const other of [order(10004), order(10005), order('done'), order(10003, { mch_order_id: null })])
      expect(bought(other, 200, known)).not.toHaveProperty('besides');
    expect(bought(order(10003, { mch_order_id: 'T9' }), 200, known)).not.toHaveProperty('besides');
  });

  it('has the PIN of a second sale of a card', () => {
    const card = bought(order(10003, { cards: [{ sn: 'S1', pin: 'P-1' }] }), 200, { supplierReference: '89' }, 'card');
    const deliveries = [{ serial: 'S1', code: 'P-1', expiresOn: null }];
    expect(card).toMatchObject({ kind: 'unknown', besides: { supplierReference: '88', cost: COST, deliveries } });
  });
});

describe('a fault of ours', () => {
  it.each([
    [401, undefined, 'credentials'],
    [400, 1002, 'credentials'],
    [400, 1022, 'credentials'],
    [400, 1021, 'credentials'],
    [400, 1024, 'credentials'],
    [406, undefined, 'deposit'],
    [429, undefined, 'rate'],
    [400, 1003, 'rate'],
    [400, 1015, 'rate'],
    [418, undefined, 'ban'],
  ])('by HTTP %s and info_code %s is our %s, and leaves a repeat in doubt', (status, info, fault) => {
    expect(bought(refusal(status, info), status)).toMatchObject({ kind: 'not_accepted', fault });
    expect(repeated(refusal(status, info), status)).toMatchObject({ kind: 'unknown', fault });
    if (info !== undefined) expect(bought({ code: info }, 200)).toMatchObject({ kind: 'not_accepted', fault });
  });

  it('is also read from the HTTP status alone', () => {
    for (const status of [401, 406, 418, 429]) expect(bought('<html>', status).kind).toBe('not_accepted');
  });

  it('may be our clock, or have a wait', () => {
    expect(bought(refusal(400, 1021), 400)).toMatchObject({ detail: expect.stringContaining('clock') });
    expect(bought('', 429)).toMatchObject({ retryAfterMs: 10_000 });
    expect(bought('', 418)).toMatchObject({ retryAfterMs: 120_000 });
    expect(readOrderAnswer(answer('', 418, '600'), 'card', ATTEMPT)).toMatchObject({ retryAfterMs: 600_000 });
  });
});

describe('an error', () => {
  it('is a refusal if the type does not exist, and leaves a repeat in doubt', () => {
    expect(bought(refusal(400, 20077), 400)).toEqual({
      kind: 'failed',
      code: 'ITEM_NOT_FOUND',
      message: 'not so (20077)',
      failover: true,
    });
    expect(bought(refusal(400, 20077), 200)).toMatchObject({ kind: 'failed', code: 'ITEM_NOT_FOUND' });
    expect(repeated(refusal(400, 20077), 400)).toMatchObject({ kind: 'failed', confirm: true });
    expect(bought(refusal(504, 20077), 200)).toMatchObject({ kind: 'unknown' });
    expect(bought(refusal(504, 1022), 200)).not.toHaveProperty('fault');
  });

  it.each([
    [400, 20078],
    [400, undefined],
    [404, undefined],
    [500, 20077],
    [502, undefined],
    [504, 1002],
    [400, 100],
    [400, 1001],
    [400, 1006],
    [400, 1007],
    [302, undefined],
  ])('by HTTP %s and info_code %s is unknown', (status, info) => {
    for (const read of [bought, repeated]) {
      expect(read(refusal(status, info), status)).toMatchObject({ kind: 'unknown' });
      expect(read(refusal(status, info), status)).not.toHaveProperty('fault');
      expect(read('<html>', status).kind).toBe('unknown');
    }
  });
});

describe('an inquiry by our reference', () => {
  const asked = (body: unknown, status = 200): SupplierOutcome =>
    readInquiry(answer(body, status), 'recharge', ATTEMPT);

  it('has the order, or reports that there is none', () => {
    expect(asked(order(10003)).kind).toBe('succeeded');
    expect(asked(order(10005)).kind).toBe('failed');
    for (const status of [404, 200, 400]) expect(asked(refusal(404), status)).toEqual({ kind: 'never_seen' });
  });

  it('is unknown otherwise', () => {
    for (const [body, status] of [
      ['<html>', 404],
      [{ message: 'no route' }, 404],
      [{ code: 'NO_ROUTE', message: 'no route' }, 404],
      [refusal(404), 502],
      [refusal(500), 404],
      [refusal(400, 20077), 400],
      [refusal(500), 500],
      ['', 200],
    ] as const)
      expect(asked(body, status).kind).toBe('unknown');
    expect(asked('', 418)).toMatchObject({ kind: 'unknown', fault: 'ban' });
  });
});

describe('the fields of an order', () => {
  it('are those of the offer’s template, and none for a card', () => {
    const ours = { type_id: '6351', buy_amount: '1', mch_order_id: ATTEMPT.reference };
    const playerTemplate = '{"userid":"{user}","serverid":"{server}"}';
    expect(orderFields('6351', 'recharge', { ...ATTEMPT, playerTemplate })).toEqual({
      userid: '123',
      serverid: '2001',
      ...ours,
    });
    expect(orderFields('6351', 'card', ATTEMPT)).toEqual(ours);
  });

  it('can’t be written for an invalid SKU, or with names of our own parameters', () => {
    const playerTemplate = '{"userid":"{user}"}';
    expect(requestProblem({ ...ATTEMPT, playerTemplate })).toBeNull();
    expect(requestProblem({ ...ATTEMPT, sku: 'card:77' })).toBeNull();
    for (const sku of ['', 'card:', 'card:x', '63 51']) expect(requestProblem({ ...ATTEMPT, sku })).toMatch(/SKU/);
    expect(requestProblem({ ...ATTEMPT, playerTemplate: '{"uid":"{user}"}' })).toMatch(/uid/);
  });

  it('have no default names, because each product has others', () => {
    for (const playerTemplate of [null, '{user}', '["{user}"]'])
      expect(requestProblem({ ...ATTEMPT, playerTemplate })).toMatch(/player template/);
  });
});
