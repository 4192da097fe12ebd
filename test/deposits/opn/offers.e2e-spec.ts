import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../../src/database/schema.service.js';
import { ChannelsRepository } from '../../../src/deposits/channels.repository.js';
import type { DepositChannel } from '../../../src/deposits/deposit-channel.entity.js';
import { deferred } from '../../support/deferred.js';
import { eventually } from '../../support/eventually.js';
import { expectError } from '../../support/expectations.js';
import { withHeldRefusal } from '../../support/held-refusal.js';
import { Client, type Answer, type ErrorBody } from '../../support/http.js';
import { unique } from '../../support/stack.js';
import { untilServed } from '../../support/until-served.js';
import { PUBLIC_KEY, SECRET_KEY, WEBHOOK_SECRET, type Json } from '../../simulators/opn-client.js';
import { closeWithRightBooks } from '../scene.js';
import { OpnScene, type Deposit } from './scene.js';

let scene: OpnScene;
const logged: string[] = [];

beforeAll(async () => {
  scene = await OpnScene.start({}, { write: (line) => void logged.push(line) });
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** On a slow machine, the service gives up the call that makes a charge. */
const noneUnavailable = (answers: Answer<Deposit>[]): boolean => answers.every(({ status }) => status !== 503);

describe('a deposit at Opn', () => {
  it('has the image of a charge, which names it, and is paid when a callback makes the service ask', async () => {
    const made = await scene.made({ metadata: { till: '3' }, expires_in: 600 });
    expect(made).toMatchObject({ status: 'pending', amount_to_pay: '1000.00', qr_payload: null });
    expect(Buffer.from(made.qr_image?.split('base64,')[1] ?? '', 'base64').toString()).toMatch(/^<svg /);
    const [charge] = await scene.calls(made, 'charge');
    const metadata = {
      deposit: made.deposit_number,
      merchant: String(scene.merchant.id),
      reference_id: made.reference_id,
    };
    expect(JSON.parse(String(charge?.body))).toMatchObject({
      amount: 100_000,
      currency: 'THB',
      metadata,
      expires_at: new Date(Math.ceil(Date.parse(made.expires_at) / 1_000) * 1_000).toISOString(),
    });
    await scene.settle(made);
    const paid = await scene.until(made, 'paid');
    expect(paid).toMatchObject({ qr_image: null, payments: [{ amount: '1000.00', late: false }] });
    expect(await scene.events(made)).toEqual(['deposit.paid']);
    const [payment] = await scene.payments();
    expect(payment).toMatchObject({ booked_by: 'reference', deposit_number: made.deposit_number, state: 'booked' });
  });

  it('is made once for equal requests at once', async () => {
    const createTwenty = async (): Promise<Answer<Deposit>[]> => {
      await scene.opn.sim('rules', { match: { call: 'charge' }, delay_ms: 500 });
      const reference = unique('deposit');
      return Promise.all(Array.from({ length: 20 }, () => scene.create({}, reference)));
    };
    const answers = await eventually(createTwenty, noneUnavailable);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.qr_image}`)).size).toBe(1);
    const [first] = answers;
    expect(await scene.calls(first?.body as Deposit, 'charge')).toHaveLength(1);
  });

  it('is made once by two processes, too', async () => {
    const { stack } = scene.deposits;
    const other = await stack.startApi();
    try {
      await other.get(SchemaService).whenReady();
      const clients = [scene.merchant.client, new Client(stack.urlOf(other), scene.merchant.key)];
      const createBoth = async (): Promise<Answer<Deposit>[]> => {
        await scene.opn.sim('rules', { match: { call: 'charge' }, delay_ms: 1_000 });
        const body = { reference_id: unique('deposit'), amount: '1000.00', channel: scene.code };
        return Promise.all(clients.map((client) => client.post<Deposit>('/v1/deposits', body)));
      };
      const answers = await eventually(createBoth, noneUnavailable);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0]?.body.qr_image).toBe(answers[1]?.body.qr_image);
      expect(await scene.calls(answers[0]?.body as Deposit, 'charge')).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('waits without a QR code while Opn makes none, and the same request finishes it', async () => {
    const lost = { drop: true, then: [{ after_ms: 60_000, status: 'successful' }] };
    const refusals = [
      { http: 500, decide: false },
      { code: 'too_many_requests', http: 429 },
      { body: 'html', decide: false },
    ];
    const rules = [...refusals, lost].map((rule) => ({ match: { call: 'charge' }, ...rule }));
    await scene.opn.sim('rules', { rules });
    const reference = unique('deposit');
    for (const _ of rules) {
      const refused = await scene.create({}, reference);
      expectError(refused, 503, 'SERVICE_UNAVAILABLE');
      expect((refused.body as unknown as ErrorBody).details?.[0]?.code).toBe('CHANNEL_UNAVAILABLE');
      expect(refused.headers.get('retry-after')).not.toBeNull();
      await scene.pass();
    }
    expect(await scene.get({ reference_id: reference })).toMatchObject({ status: 'pending', qr_image: null });
    const { status, headers, body } = await untilServed(() => scene.create({}, reference));
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(body.qr_image).toMatch(/^data:image\/svg/);
    // The charge whose answer was lost is paid, and the other one, too: both name the deposit.
    await scene.opn.sim('clock', { advance: '61s' });
    await scene.until(body, 'paid');
    await scene.settle(body);
    await scene.until(body, 'paid', '2000.00');
  });

  it('waits without a QR code while the channel’s credentials can’t be opened, and the same request finishes it', async () => {
    const { stack } = scene.deposits;
    const reference = unique('deposit');
    await scene.opn.sim('rules', { match: { call: 'charge' }, http: 500, decide: false });
    const refusedByOpn = await scene.create({}, reference);
    const [stored] = await stack.sql<{ credentials_sealed: Buffer }>(
      `SELECT credentials_sealed FROM deposit_channels WHERE code = $1`,
      [scene.code],
    );
    const seal = (value: unknown): Promise<object[]> =>
      stack.sql(`UPDATE deposit_channels SET credentials_sealed = $2 WHERE code = $1`, [scene.code, value]);
    await seal(Buffer.alloc(1));
    const refused = await scene.create({}, reference);
    await seal(stored?.credentials_sealed);
    expectError(refusedByOpn, 503, 'SERVICE_UNAVAILABLE');
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toEqual([
      503,
      refusedByOpn.body,
      refusedByOpn.headers.get('retry-after'),
    ]);
    const { body } = await untilServed(() => scene.create({}, reference));
    expect(body.qr_image).toMatch(/^data:image\/svg/);
  });

  it('that was cancelled while Opn made its charge is ended at Opn, and the merchant does not wait for that', async () => {
    let mayAnswer = deferred<void>();
    const mayExpire = deferred<void>();
    const between = createServer((request, response) => {
      void (async () => {
        const { method = '', url: path = '' } = request;
        const body = await text(request);
        if (path.endsWith('/expire')) await mayExpire.promise;
        if (response.destroyed) return;
        const { authorization = '', 'content-type': type = '' } = request.headers;
        const headers = { authorization, ...(type && { 'content-type': type }) };
        const answer = await fetch(scene.opn.url + path, { method, headers, ...(body && { body }) });
        const answered = (await answer.text()).replaceAll(scene.opn.url, urlOf(between));
        if (path === '/charges') await mayAnswer.promise;
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(answered);
      })();
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const move = (url: string): Promise<unknown> =>
      scene.deposits.stack.sql('UPDATE deposit_channels SET base_url = $1 WHERE code = $2', [url, scene.code]);
    await move(urlOf(between));
    try {
      const cancelMeanwhile = async (): Promise<{ made: Deposit; answer: Answer<Deposit> }> => {
        mayAnswer = deferred<void>();
        const reference = unique('deposit');
        const creating = scene.create({}, reference);
        const made = await eventually(
          () => scene.get({ reference_id: reference }),
          ({ status }) => status === 'pending',
        );
        await scene.untilCalled(made, 'charge');
        await scene.merchant.client.post(`/v1/deposits/${reference}/cancel`);
        mayAnswer.resolve();
        return { made, answer: await creating };
      };
      const { made, answer } = await eventually(cancelMeanwhile, (each) => noneUnavailable([each.answer]));
      const { status, body } = answer;
      expect([status, body]).toMatchObject([200, { status: 'cancelled', qr_image: null }]);
      // If the creation had waited for this call, the service would have given the call up by now.
      mayExpire.resolve();
      await scene.untilCalled(made, 'expire');
    } finally {
      await move(scene.opn.url);
      between.close();
    }
  });

  it('has no image that is too large, or elsewhere', async () => {
    const set = { source: { scannable_code: { image: { download_uri: 'http://127.0.0.1:1/code.svg' } } } };
    await scene.opn.sim('rules', { match: { call: 'charge' }, set });
    const reference = unique('deposit');
    expectError(await scene.create({}, reference), 503, 'SERVICE_UNAVAILABLE');
    // The charge that nobody has seen ends. Another one is made after a pause, however soon the merchant asks again.
    expect((await untilServed(() => scene.create({}, reference))).status).toBe(200);
    const made = await scene.get({ reference_id: reference });
    await scene.untilCalled(made, 'expire');
    const charges = await scene.calls(made, 'charge');
    const [first = 0, second = 0] = charges.map(({ at }) => Date.parse(String(at)));
    expect(charges).toHaveLength(2);
    expect(second - first).toBeGreaterThan(1_900);
    await scene.opn.sim('readings', { image_bytes: 65_537 });
    expectError(await scene.create(), 503, 'SERVICE_UNAVAILABLE');
    await scene.opn.sim('readings', { image_bytes: 400 });
  });

  it.each(['ignored', 'refused'])('is made when expires_at is %s', async (reading) => {
    await scene.opn.sim('readings', { expires_at: reading });
    const made = await scene.made({ expires_in: 600 });
    expect(new Date(made.expires_at).getTime() - new Date(made.created_at).getTime()).toBe(600_000);
    await scene.opn.sim('readings', { expires_at: 'honoured' });
  });

  it('is ended at Opn when it is cancelled, and its money is booked all the same', async () => {
    const made = await scene.made();
    await scene.merchant.client.post(`/v1/deposits/${made.reference_id}/cancel`);
    await scene.untilCalled(made, 'expire');
    await scene.settle(made);
    await scene.until(made, 'paid');
  });
});

describe('refused keys', () => {
  it.each([
    ['secret_key', SECRET_KEY],
    ['public_key', PUBLIC_KEY],
  ])('pause the channel until a probe with an accepted %s', async (name, key) => {
    const made = await scene.made();
    const { code } = scene;
    await scene.opn.sim('account', { [name]: 'another' });
    expectError(await scene.create(), 503, 'SERVICE_UNAVAILABLE');
    expect(await scene.channel()).toMatchObject({ status: 'paused', pause_reason: 'credentials' });
    const refused = await scene.create();
    expect((refused.body as unknown as ErrorBody).details?.[0]?.code).toBe('NO_CHANNEL');
    const tested = await scene.deposits.operator.run('channel', 'test', code, '--json');
    expect(tested.code).toBe(1);
    const { checks } = JSON.parse(tested.stdout) as { checks: Json[] };
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { name, ok: false, detail: expect.stringContaining('authentication_failure') },
    ]);
    const { stack } = scene.deposits;
    const probe = () => stack.sql(`UPDATE deposit_channels SET probe_at = now() WHERE code = $1`, [code]);
    const probes = async () =>
      (await stack.sql<{ probes: number }>(`SELECT probes FROM deposit_channels WHERE code = $1`, [code]))[0]?.probes;
    // When the second probe begins, the first one has ended.
    for (const count of [1, 2]) {
      await probe();
      await eventually(probes, (made) => made === count);
    }
    expect(await scene.channel()).toMatchObject({ status: 'paused' });
    await scene.opn.sim('account', { [name]: key });
    await probe();
    await eventually(
      () => scene.channel(),
      ({ status }) => status === 'active',
    );
    await scene.settle(made);
    await scene.until(made, 'paid');
  });

  it('do not pause the channel if other ones were set before the answer came', async () => {
    const { stack } = scene.deposits;
    await withHeldRefusal(async ({ url, called, release }) => {
      await stack.sql('UPDATE deposit_channels SET base_url = $1 WHERE code = $2', [url, scene.code]);
      const creating = scene.create();
      await called;
      await scene.set(scene.code, `webhook_secret=${WEBHOOK_SECRET}`);
      release();
      expectError(await creating, 503, 'SERVICE_UNAVAILABLE');
    });
    expect(await scene.channel()).toMatchObject({ status: 'active', pause_reason: null });
  });

  it('keep the channel paused although a probe with the keys before them succeeds', async () => {
    const rows = scene.deposits.stack.api.get(ChannelsRepository);
    const before = (await rows.find(scene.code)) as DepositChannel;
    await scene.set(scene.code, `webhook_secret=${WEBHOOK_SECRET}`);
    const now = (await rows.find(scene.code)) as DepositChannel;
    expect(await rows.beginPause(now)).toBe(true);
    expect(await rows.endPause(before)).toBe(false);
    expect(await scene.channel()).toMatchObject({ pause_reason: 'credentials' });
    expect(await rows.endPause(now)).toBe(true);
  });

  it('are probed each hour, for however long the channel is paused', async () => {
    const { stack } = scene.deposits;
    await scene.opn.sim('account', { secret_key: 'another' });
    await stack.sql(
      `UPDATE deposit_channels SET pause_reason = 'credentials', probes = 32767, probe_at = now() WHERE code = $1`,
      [scene.code],
    );
    const pause = async () =>
      (
        await stack.sql<{ is_due: boolean }>(
          `SELECT probe_at <= now() AS is_due, probes FROM deposit_channels WHERE code = $1`,
          [scene.code],
        )
      )[0];
    expect(await eventually(pause, (row) => row?.is_due === false)).toEqual({ is_due: false, probes: 32_767 });
    await scene.opn.sim('account', { secret_key: SECRET_KEY });
    await stack.sql(`UPDATE deposit_channels SET probe_at = now() WHERE code = $1`, [scene.code]);
    await eventually(
      () => scene.channel(),
      ({ status }) => status === 'active',
    );
  });

  it('are probed by a worker that can open them, also if another one can’t', async () => {
    const { stack } = scene.deposits;
    await stack.stopWorkers();
    await stack.sql(
      `UPDATE deposit_channels SET pause_reason = 'credentials', probes = 0, probe_at = now() WHERE code = $1`,
      [scene.code],
    );
    await stack.startWorker({ secretsKey: randomBytes(32) });
    await eventually(
      () => Promise.resolve(logged),
      (lines) => lines.some((line) => /paused channels could not be probed/.test(line)),
    );
    await stack.startWorker();
    await eventually(
      () => scene.channel(),
      ({ status }) => status === 'active',
    );
    await stack.stopWorkers();
    await stack.startWorker();
  });
});
