import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Config } from '../../src/core/config.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { DepositsService } from '../../src/deposits/deposits.service.js';
import { StatementsService } from '../../src/deposits/statements/statements.service.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { Client, type Answer, type ErrorBody } from '../support/http.js';
import { holding, whileLocked } from '../support/locks.js';
import { walk } from '../support/pages.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { BankAccount, closeWithRightBooks, DepositsScene, paying, satang, type DepositView } from './scene.js';

type Deposit = DepositView & { qr_image: string | null; channel: string; metadata: object; deposit_number: string };

let scene: DepositsScene;
/** Channels of a service without limits of merchants: one by amount, preferred, and one by reference. */
let channel: string;
let biller: string;
let metricsPort: string;

beforeAll(async () => {
  scene = await DepositsScene.start({ DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0', DEPOSIT_MAX_HELD: '0' });
  channel = await scene.channel('spread=2');
  biller = await scene.billerChannel();
  await scene.operator.json('channel', 'set', '--code', channel, '--adapter', 'promptpay', '--priority', '1');
  metricsPort = await openManagementPort(scene.stack.api);
});

afterAll(() => closeWithRightBooks(scene));

const shop = (): Promise<TestMerchant> => scene.stack.merchant('0.00');

const create = (
  { client }: TestMerchant,
  members: object = {},
  reference = unique('deposit'),
): Promise<Answer<Deposit>> =>
  client.post<Deposit>('/v1/deposits', { reference_id: reference, amount: '1000.00', ...members });

const get = async ({ client }: TestMerchant, reference: string): Promise<Deposit> =>
  (await client.get<Deposit>(`/v1/deposits/${reference}`)).body;

const cancel = ({ client }: TestMerchant, reference: string, body?: object): Promise<Answer<Deposit>> =>
  client.post<Deposit>(`/v1/deposits/${reference}/cancel`, body);

const detailOf = ({ body }: Answer<unknown>): string | undefined => (body as ErrorBody).details?.[0]?.code;

describe('a merchant makes a deposit', () => {
  it('and gets a QR code for a sum that no other deposit has', async () => {
    const { status, headers, body } = await create(await shop(), { metadata: { till: '3' }, expires_in: 300 });
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(body).toMatchObject({
      deposit_number: expect.stringMatching(/^dep_[0-9A-Za-z]{16}$/),
      status: 'pending',
      channel,
      currency: 'THB',
      amount: '1000.00',
      paid_amount: '0.00',
      paid_at: null,
      payments: [],
      slip: null,
      metadata: { till: '3' },
      source: 'api',
    });
    expect(Object.keys(body).sort()).toEqual(
      `amount amount_to_pay channel created_at currency deposit_number expires_at metadata paid_amount paid_at payments
       qr_image qr_payload reference_id slip source status updated_at`.split(/\s+/),
    );
    expect(satang(body.amount_to_pay) % 11n).toBe(3n);
    expect(body.qr_payload).toContain(`54${String(body.amount_to_pay.length).padStart(2, '0')}${body.amount_to_pay}`);
    expect(new Date(body.expires_at).getTime() - new Date(body.created_at).getTime()).toBe(300_000);
    const svg = Buffer.from(body.qr_image?.split('base64,')[1] ?? '', 'base64').toString();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
  });

  it('at a channel of its choice', async () => {
    const { body } = await create(await shop(), { channel: biller, amount: '1.00' });
    expect(body).toMatchObject({ channel: biller, amount_to_pay: '1.00' });
  });

  it('once for a reference: the same content is replayed, also at once, and other content is refused', async () => {
    const merchant = await shop();
    const content = { metadata: { a: '1', b: '2' }, channel };
    const made = await Promise.all(Array.from({ length: 50 }, () => create(merchant, content, 'once')));
    expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(made.map(({ headers }) => headers.get('idempotent-replayed')).filter((replayed) => !replayed)).toEqual([
      null,
    ]);
    const again = await create(merchant, { ...content, metadata: { b: '2', a: '1' }, expires_in: 60 }, 'once');
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', made[0]?.body]);
    for (const other of [{ amount: '1000.01' }, { metadata: { a: '1' } }, { metadata: null }, { channel: biller }])
      expectError(await create(merchant, { ...content, ...other }, 'once'), 409, 'DUPLICATE_REFERENCE');
  });

  it('under a reference that an order or another merchant has, too', async () => {
    const [one, other] = [await shop(), await shop()];
    const [{ body: first }, { body: second }] = [await create(one, {}, 'same'), await create(other, {}, 'same')];
    expect(first.deposit_number).not.toBe(second.deposit_number);
    expect(await get(one, 'same')).toEqual(first);
    expectError(await one.client.get('/v1/deposits/none'), 404, 'NOT_FOUND');
    const { body: theirs } = await create(other, {}, 'theirs');
    expectError(await one.client.get(`/v1/deposits/${theirs.reference_id}`), 404, 'NOT_FOUND');
    expectError(await cancel(one, theirs.reference_id), 404, 'NOT_FOUND');
    expectError(await one.client.get(`/v1/deposits/${theirs.deposit_number}`), 404, 'NOT_FOUND');
    expect(await get(other, 'theirs')).toMatchObject({ status: 'pending' });
  });

  it.each<[members: object, field: string, code: string]>([
    [{ amount: 1500 }, 'amount', 'INVALID_TYPE'],
    ...['1500', '1500.5', '-1.00', '1e3', '๑๕๐๐.๐๐', ' 1.00', '1,000.00', '9'.repeat(400)].map(
      (amount): [object, string, string] => [{ amount }, 'amount', 'INVALID_VALUE'],
    ),
    [{ amount: '0.00' }, 'amount', 'OUT_OF_RANGE'],
    [{ amount: '9999999999999.99' }, 'amount', 'OUT_OF_RANGE'],
    [{ amount: undefined }, 'amount', 'REQUIRED'],
    [{ amout: '1.00' }, 'amout', 'UNKNOWN_MEMBER'],
    [{ expires_in: 59 }, 'expires_in', 'OUT_OF_RANGE'],
    [{ expires_in: 86_401 }, 'expires_in', 'OUT_OF_RANGE'],
    [{ expires_in: '900' }, 'expires_in', 'INVALID_TYPE'],
    [{ channel: 'sandbox' }, 'channel', 'INVALID_VALUE'],
    [{ channel: 'none' }, 'channel', 'INVALID_VALUE'],
    [{ reference_id: '..' }, 'reference_id', 'INVALID_VALUE'],
    [{ metadata: { a: 1 } }, 'metadata.a', 'INVALID_TYPE'],
  ])('not with %j', async (members, field, code) => {
    expectRefusedField(await create(await shop(), members), field, code);
  });

  it('not outside of the limits of the channel that it names, and nowhere if no channel takes it', async () => {
    const refused = await create(await shop(), { channel, amount: '99.99' });
    expectError(refused, 400, 'BAD_REQUEST', /takes 100\.00 to 700000\.00 THB, not 99\.99/);
    expect(detailOf(refused)).toBe('OUT_OF_RANGE');
    const untaken = await create(await shop(), { amount: '700000.01' });
    expectError(untaken, 503, 'SERVICE_UNAVAILABLE', /no active channel takes 700000\.01 THB/);
    expect(detailOf(untaken)).toBe('NO_CHANNEL');
  });

  it('not when every sum near its amount is reserved', async () => {
    const merchant = await shop();
    const one = await create(merchant, { amount: '200.00' });
    await scene.stack.sql(
      `INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, holds_amount,
                             expires_at, hold_until, source)
       SELECT deposit_number || n, merchant_id, channel_id, reference_id || n, reference || n, amount, n, true, expires_at, hold_until, source
       FROM (SELECT * FROM deposits WHERE deposit_number = $1) d, generate_series(20001, 20499) n
       WHERE n % 11 = 3 AND n % 100 <> 0 AND n <> d.amount_to_pay`,
      [one.body.deposit_number],
    );
    const refused = await create(merchant, { amount: '200.00' }, 'too-many');
    expectError(refused, 503, 'SERVICE_UNAVAILABLE', /every amount near 200\.00 THB is reserved/);
    expect(detailOf(refused)).toBe('NO_FREE_AMOUNT');
    expectError(await merchant.client.get('/v1/deposits/too-many'), 404, 'NOT_FOUND');
    const scrape = await Scrape.of(metricsPort);
    expect(scrape.value('topup_deposit_amounts_short_total', { channel })).toBe(1);
  });

  it('not while it is suspended', async () => {
    const merchant = await shop();
    await scene.operator.json('merchant', 'suspend', String(merchant.id));
    const refused = await eventually(
      () => create(merchant),
      ({ status }) => status !== 200,
    );
    expectError(refused, 403, 'FORBIDDEN');
  });
});

describe('the list of a merchant’s deposits', () => {
  it('has pages, newest first, with filters and without images', async () => {
    const merchant = await shop();
    const made: Deposit[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await create(merchant, { channel: biller })).body);
    await cancel(merchant, made[1]?.reference_id ?? '');
    const numbers = async (query: Record<string, string>): Promise<(number | undefined)[]> =>
      (await walk<Deposit>(merchant.client, '/v1/deposits', { limit: '2', ...query })).map(({ deposit_number }) =>
        made.findIndex((each) => each.deposit_number === deposit_number),
      );
    expect(await numbers({})).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers({ status: 'cancelled' })).toEqual([1]);
    expect(await numbers({ reference_id: made[3]?.reference_id ?? '' })).toEqual([3]);
    expect(await numbers({ reference_id: made[3]?.reference_id ?? '', status: 'cancelled' })).toEqual([]);
    expect(await numbers({ created_from: made[2]?.created_at ?? '' })).toEqual([0, 1, 2]);
    expect(await numbers({ created_to: made[2]?.created_at ?? '' })).toEqual([2, 3, 4]);
    const { body } = await merchant.client.get<{ data: Deposit[] }>('/v1/deposits?limit=1');
    expect(body.data[0]).not.toHaveProperty('qr_image');
    expectRefusedField(await merchant.client.get('/v1/deposits?cursor=x'), 'cursor');
  });
});

describe('a deposit', () => {
  it('is read with its payments, both as they are at one moment', async () => {
    const merchant = await shop();
    const { body } = await create(merchant, { channel: biller });
    let reading: Promise<Deposit> | undefined;
    await holding(scene.stack, 'incoming_payments', async (client) => {
      await client.query('LOCK TABLE incoming_payments IN ACCESS EXCLUSIVE MODE');
      reading = get(merchant, body.reference_id);
      const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                       AND query LIKE '%booked_at%' AND query LIKE '%incoming_payments%'`;
      await eventually(
        () => scene.stack.sql(waits),
        ({ length }) => length > 0,
      );
      const change = `UPDATE deposits SET status = 'cancelled', cancelled_at = now() WHERE deposit_number = $1`;
      await client.query(change, [body.deposit_number]);
    });
    // The payments are of after the lock, so the deposit must be, too.
    expect(await reading).toMatchObject({ status: 'cancelled', payments: [] });
  });
});

describe('the metrics of deposits', () => {
  it('count them by channel and transition, each in the process that moved it', async () => {
    const [merchant, own] = [await shop(), await scene.channel()];
    const made: Deposit[] = [];
    for (let n = 0; n < 3; n++) made.push((await create(merchant, { channel: own })).body);
    for (let n = 0; n < 2; n++) await cancel(merchant, made[0]?.reference_id ?? '');
    await create(merchant, { channel: own }, made[1]?.reference_id);
    const count = async (transition: string): Promise<number | undefined> =>
      (await Scrape.of(metricsPort)).value('topup_deposits_total', { channel: own, transition });
    expect([await count('created'), await count('cancelled'), await count('paid')]).toEqual([3, 1, undefined]);
    // Usually a worker ends them, which has metrics of its own.
    await scene.stack.stopWorkers();
    const expire = `UPDATE deposits SET created_at = now() - interval '1 hour', expires_at = now() WHERE deposit_number = $1`;
    await scene.stack.sql(expire, [made[2]?.deposit_number]);
    await scene.stack.api.get(DepositsService).expire(new AbortController().signal);
    expect(await count('expired')).toBe(1);
    await scene.stack.startWorker();
  });

  it('count what comes with a file, and how long it took to book', async () => {
    const [merchant, own] = [await shop(), await scene.channel('ignore=Interest')];
    const { body } = await create(merchant, { channel: own });
    const [at, out] = [new Date(), { at: new Date(), amount: -100n }];
    const account = new BankAccount().add(
      paying(body),
      { at, amount: 100n },
      { at, amount: 5n, text: 'Interest' },
      out,
    );
    const statements = scene.stack.api.get(StatementsService);
    for (let n = 0; n < 2; n++) await statements.import(own, Buffer.from(account.statement()), { operator: 'test' });
    const scrape = await Scrape.of(metricsPort);
    const outcomes = ['booked', 'waiting', 'ignored', 'repeated'].map((outcome) =>
      scrape.value('topup_incoming_payments_total', { channel: own, outcome }),
    );
    expect(outcomes).toEqual([1, 1, 1, 3]);
    expect(scrape.value('topup_deposits_total', { channel: own, transition: 'paid' })).toBe(1);
    expect(scrape.value('topup_deposit_booking_seconds_count', { channel: own, witness: 'line' })).toBe(1);
  });
});

describe('a cancelled deposit', () => {
  it('is cancelled without a body: a member is refused, and the deposit stays pending', async () => {
    const merchant = await shop();
    const { reference_id } = (await create(merchant, { channel: biller })).body;
    expectRefusedField(await cancel(merchant, reference_id, { reason: 'changed my mind' }), 'reason');
    expect(await get(merchant, reference_id)).toMatchObject({ status: 'pending' });
    expect(await cancel(merchant, reference_id, {})).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  it('stays cancelled when it is cancelled again, has no image, and is paid by a late payment', async () => {
    const merchant = await shop();
    const { body: deposit } = await create(merchant, { channel: biller });
    const cancelled = await cancel(merchant, deposit.reference_id);
    expect([cancelled.status, cancelled.body]).toMatchObject([200, { status: 'cancelled', qr_image: null }]);
    expect((await cancel(merchant, deposit.reference_id)).body).toEqual(cancelled.body);
    const shown = await scene.show(deposit.deposit_number);
    expect(shown).toMatchObject({ timeline: [{ event: 'created' }, { event: 'cancelled' }] });
    const account = new BankAccount().add(paying(shown, { reference: shown.reference }));
    await scene.stack.sql(`UPDATE deposits SET expires_at = now() WHERE deposit_number = $1`, [shown.deposit_number]);
    await scene.import(biller, account.statement());
    const { timeline } = (await scene.show(deposit.deposit_number)) as DepositView & { timeline: { event: string }[] };
    expect(timeline.map(({ event }) => event)).toEqual(['created', 'cancelled', 'paid']);
    expect(await get(merchant, deposit.reference_id)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
    expectError(await cancel(merchant, deposit.reference_id), 409, 'CONFLICT', /is paid/);
  });

  it('can’t be one that has expired', async () => {
    const merchant = await shop();
    const { body: deposit } = await create(merchant, { channel: biller });
    await scene.stack.sql(`UPDATE deposits SET status = 'expired' WHERE deposit_number = $1`, [deposit.deposit_number]);
    expectError(await cancel(merchant, deposit.reference_id), 409, 'CONFLICT', /is expired/);
  });

  it('and its payment at the same moment end in paid, once', async () => {
    const [merchant, own] = [await shop(), await scene.channel('spread=5')];
    const deposits: Deposit[] = [];
    for (let n = 0; n < 8; n++) deposits.push((await create(merchant, { channel: own, amount: '2000.00' })).body);
    const account = new BankAccount().add(...deposits.map((each) => paying(each)));
    const [, ...cancelled] = await Promise.all([
      scene.import(own, account.statement()),
      ...deposits.map(({ reference_id }) => cancel(merchant, reference_id)),
    ]);
    for (const { status } of cancelled) expect([200, 409]).toContain(status);
    for (const { reference_id } of deposits)
      expect(await get(merchant, reference_id)).toMatchObject({ status: 'paid', payments: [{}] });
    const { body } = await merchant.client.get<{ data: object[] }>('/v1/events?type=deposit.paid');
    expect(body.data).toHaveLength(deposits.length);
    expect(await scene.wrong()).toEqual([]);
  });
});

describe('the limits of a merchant', () => {
  let limited: TestMerchant;
  let url: string;

  /** A merchant at a second API, which has limits. */
  const at = async (limits: Partial<Config>): Promise<() => Promise<Answer<Deposit>[]>> => {
    const api = await scene.stack.startApi(limits);
    apis.push(api);
    // Before that, it refuses each request with 503.
    await api.get(SchemaService).whenReady();
    url = scene.stack.urlOf(api);
    limited = await shop();
    return () =>
      Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const request = { reference_id: `at-once-${n}`, amount: '1000.00', channel: biller };
          return new Client(url, limited.key).post<Deposit>('/v1/deposits', request);
        }),
      );
  };
  const apis: INestApplication[] = [];

  afterAll(() => Promise.all(apis.map((api) => api.close())));

  it('are as many open deposits as the operator allows, also when they are made at once', async () => {
    const createEight = await at({ DEPOSIT_MAX_OPEN: 3 });
    const answers = await createEight();
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    for (const each of refused) {
      expectError(each, 409, 'CONFLICT', /^3 deposits are pending/);
      expect(detailOf(each)).toBe('TOO_MANY_OPEN');
    }
    const [made] = answers.filter(({ status }) => status === 200);
    const client = new Client(url, limited.key);
    const { reference_id } = made?.body ?? { reference_id: '' };
    const replay = await client.post<Deposit>('/v1/deposits', { reference_id, amount: '1000.00', channel: biller });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await cancel(limited, reference_id);
    expect(
      (await client.post('/v1/deposits', { reference_id: 'next', amount: '1000.00', channel: biller })).status,
    ).toBe(200);
  });

  it('hold for two processes that have both counted before either has written', async () => {
    const [one, other] = [
      await scene.stack.startApi({ DEPOSIT_MAX_OPEN: 1 }),
      await scene.stack.startApi({ DEPOSIT_MAX_OPEN: 1 }),
    ];
    apis.push(one, other);
    const merchant = await shop();
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                       AND (query LIKE '%INSERT INTO deposits%' OR query LIKE '%pg_advisory_xact_lock%')`;
    let sent: Promise<Answer<Deposit>>[] = [];
    await holding(scene.stack, 'deposits', async () => {
      sent = [one, other].map((api, n) => {
        const request = { reference_id: `process-${n}`, amount: '1000.00', channel: biller };
        return new Client(scene.stack.urlOf(api), merchant.key).post<Deposit>('/v1/deposits', request);
      });
      await eventually(
        () => scene.stack.sql(waiting),
        ({ length }) => length === 2,
      );
    });
    expect((await Promise.all(sent)).map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  });

  it('are as many new deposits in a minute, whatever became of them', async () => {
    const createEight = await at({ DEPOSIT_CREATE_PER_MINUTE: 3 });
    const answers = await createEight();
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    for (const each of refused) {
      expectError(each, 429, 'TOO_MANY_REQUESTS', /^More than 3 new deposits in a minute/);
      expect(Number(each.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await scene.stack.sql(`UPDATE deposits SET created_at = created_at - interval '1 minute' WHERE merchant_id = $1`, [
      limited.id,
    ]);
    const { status } = await new Client(url, limited.key).post('/v1/deposits', {
      reference_id: 'later',
      amount: '1000.00',
      channel: biller,
    });
    expect(status).toBe(200);
  });

  it('are as many amounts of a channel, although it cancels its deposits', async () => {
    await at({ DEPOSIT_MAX_HELD: 3 });
    const client = new Client(url, limited.key);
    const createAt = (code: string, n: number): Promise<Answer<Deposit>> =>
      client.post<Deposit>('/v1/deposits', { reference_id: `held-${code}-${n}`, amount: '1000.00', channel: code });
    const [own, other] = [await scene.channel(), await scene.channel()];
    for (let n = 1; n <= 3; n++) {
      expect((await createAt(own, n)).status).toBe(200);
      await cancel(limited, `held-${own}-${n}`);
    }
    const refused = await createAt(own, 4);
    const words =
      /^3 amounts of channel .+ are reserved for your earlier deposits, .+: try again later, or name another/;
    expectError(refused, 409, 'CONFLICT', words);
    expect(detailOf(refused)).toBe('TOO_MANY_OPEN');
    expect((await createAt(own, 1)).headers.get('idempotent-replayed')).toBe('true');
    for (const code of [other, biller]) expect((await createAt(code, 1)).status).toBe(200);
    expect((await create(await shop(), { channel: own })).status).toBe(200);
    await scene.stack.sql(`UPDATE deposits SET holds_amount = false WHERE reference_id = $1`, [`held-${own}-2`]);
    expect((await createAt(own, 5)).status).toBe(200);
  });

  it('let no merchant keep another from its deposits, however many creations wait', async () => {
    const [busy, other] = [await shop(), await shop()];
    const held = `SELECT pg_advisory_xact_lock(hashtext('deposits'), ${busy.id})`;
    await create(busy, { channel: biller }, 'made-before');
    const waiting: Promise<unknown>[] = [];
    let answered = 0;
    await whileLocked(scene.stack, held, async () => {
      for (let n = 0; n < 12; n++) {
        const request = { reference_id: `waits-${n}`, amount: '1000.00', channel: biller };
        waiting.push(busy.client.post('/v1/deposits', request).then(() => answered++));
      }
      const { status, body } = await other.client.post<Deposit>('/v1/deposits', {
        reference_id: 'other',
        amount: '1000.00',
        channel: biller,
      });
      expect([status, await get(other, body.reference_id)]).toEqual([200, body]);
      // Nor does a repetition wait behind new ones.
      const again = await create(busy, { channel: biller }, 'made-before');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(answered).toBeLessThan(waiting.length);
    });
    await Promise.all(waiting);
  });
});
