import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChannelsService } from '../../../src/deposits/channels.service.js';
import { IncomingSlipsService } from '../../../src/deposits/slips/incoming-slips.service.js';
import { openManagementPort, Scrape } from '../../ops/management.js';
import { eventually } from '../../support/eventually.js';
import { withHeldRefusal } from '../../support/held-refusal.js';
import type { TestMerchant } from '../../support/stack.js';
import { satang, type DepositView } from '../scene.js';
import { KEY, SlipsScene, type Deposit, type Transfer } from './slips-scene.js';

let scene: SlipsScene;
let port: string;
const logged: Record<string, string>[] = [];

beforeAll(async () => {
  const logTo = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, string>) };
  scene = await SlipsScene.start({ LOG_LEVEL: 'warn' }, { logTo });
  port = await openManagementPort(scene.deposits.stack.api, 0);
});

afterAll(() => scene.close());

async function paying(): Promise<{ channel: string; shop: TestMerchant; deposit: DepositView; transfer: Transfer }> {
  const { code, account } = await scene.channel();
  const shop = await scene.deposits.stack.merchant('0.00');
  const deposit = await scene.deposits.deposit(code, shop);
  return { channel: code, shop, deposit, transfer: scene.transfer(deposit, account) };
}

const present = async ({ shop, deposit, transfer }: Awaited<ReturnType<typeof paying>>): Promise<Deposit> =>
  (await scene.present(shop, deposit, transfer.payload)).body;

/** The deposit, once its slip has the status. */
const withSlip = (shop: TestMerchant, deposit: DepositView, status: string): Promise<Deposit> =>
  eventually(
    () => scene.get(shop, deposit),
    ({ slip }) => slip?.status === status,
  );

const isPaused = async (channel: string): Promise<number | undefined> =>
  (await Scrape.of(port)).value('topup_slips_paused', { channel });

const pausedUntil = async (channel: string): Promise<unknown> =>
  (await scene.deposits.operator.json<{ slips_paused_until: unknown }>('channel', 'show', channel)).slips_paused_until;

describe('a slip that the bank does not know yet', () => {
  it('is asked about again, and booked when the bank knows it', async () => {
    const given = await paying();
    expect(await present(given)).toMatchObject({ status: 'pending', slip: { status: 'checking', code: null } });
    await scene.pay(given.transfer);
    await scene.hurry();
    expect(await withSlip(given.shop, given.deposit, 'booked')).toMatchObject({ status: 'paid' });
    expect(await scene.calls(given.transfer)).toBe(2);
  });

  it('is refused after six calls, and its payment still counts', async () => {
    const given = await paying();
    await present(given);
    for (let calls = 2; calls <= 6; calls++) {
      const [{ wait } = { wait: 0 }] = await scene.deposits.stack.sql<{ wait: number }>(
        `SELECT round(extract(epoch FROM next_at - statement_timestamp()) / 10)::int AS wait FROM slip_checks WHERE next_at IS NOT NULL`,
      );
      expect(wait).toBeLessThanOrEqual([3, 12, 30, 90, 180][calls - 2] ?? 0);
      expect(wait).toBeGreaterThan([0, 3, 12, 30, 90][calls - 2] ?? 0);
      await scene.hurry();
      await eventually(
        () => scene.calls(given.transfer),
        (made) => made === calls,
      );
    }
    expect(await withSlip(given.shop, given.deposit, 'refused')).toMatchObject({ slip: { code: 'SLIP_UNKNOWN' } });
    await scene.hurry();
  });

  it('is booked, and shown as that, if an answer comes after the last call has refused it', async () => {
    const given = await paying();
    await present(given);
    const { stack } = scene.deposits;
    const slips = stack.api.get(IncomingSlipsService);
    const channel = await stack.api.get(ChannelsService).connectByCode(given.channel);
    const slipRef = `014:${given.transfer.trans_ref}`;
    await slips.refuse(channel.channel.id, slipRef, 'SLIP_UNKNOWN');
    const amount = satang(given.transfer.amount);
    await slips.record(channel, slipRef, { kind: 'paid', amount, paidAt: new Date(), references: [] });
    const booked = { status: 'paid', slip: { status: 'booked', code: null } };
    expect(await scene.get(given.shop, given.deposit)).toMatchObject(booked);
  });

  it.each<[string, object, number]>([
    ['a lost answer', { drop: true }, 2],
    ['too many calls', { code: 'TOO_MANY_REQUESTS', http: 429 }, 2],
    ['a page', { body: 'html' }, 2],
    ['a fault', { http: 500 }, 2],
    ['another amount in one place', { set: { amountInSlip: 1 } }, 2],
  ])('stays in doubt after %s, and a duplicate is no refusal', async (_, rule, calls) => {
    await scene.service.sim('readings', { duplicates: 'always' });
    const given = await paying();
    await scene.pay(given.transfer);
    await scene.service.sim('rules', { match: {}, ...rule });
    expect(await present(given)).toMatchObject({ slip: { status: 'checking' } });
    await scene.hurry();
    expect(await withSlip(given.shop, given.deposit, 'booked')).toMatchObject({ payments: [{}] });
    expect(await scene.calls(given.transfer)).toBe(calls);
    expect(await scene.deposits.credits(given.shop)).toHaveLength(1);
  });

  it('is asked about in time, although the clock was ahead when it came', async () => {
    const given = await paying();
    await present(given);
    const late = `slip_checks WHERE next_at > now() + interval '31 minutes'`;
    const claimed = `deposits WHERE greatest(asked_at, created_at) > now() + interval '1 minute'`;
    await scene.deposits.stack.sql(`UPDATE deposits SET asked_at = now() + interval '1 year'`);
    // No merchant must wait for that moment before it may make another deposit.
    const other = await scene.deposits.deposit(given.channel, given.shop);
    const ahead = `UPDATE deposits SET created_at = now() + interval '1 year' WHERE deposit_number = $1`;
    await scene.deposits.stack.sql(ahead, [other.deposit_number]);
    await scene.deposits.stack.sql(
      `UPDATE slip_checks SET next_at = now() + interval '1 year' WHERE next_at IS NOT NULL`,
    );
    // So the worker notices that the clock was set back.
    await scene.deposits.stack.sql(`UPDATE worker_processes SET seen_at = seen_at + interval '1 minute'`);
    await eventually(
      () => scene.deposits.stack.sql(`SELECT FROM ${late} UNION ALL SELECT FROM ${claimed}`),
      ({ length }) => length === 0,
    );
    await scene.pay(given.transfer);
    await scene.hurry();
    await withSlip(given.shop, given.deposit, 'booked');
  });

  it('is not forgotten if the process ends while it asks', async () => {
    const given = await paying();
    await scene.pay(given.transfer);
    await scene.service.sim('rules', { match: {}, delay_before_ms: 15_000 });
    const asking = present(given).catch(() => undefined);
    await eventually(
      () => scene.deposits.stack.sql(`SELECT FROM slip_checks WHERE next_at > now()`),
      ({ length }) => length === 1,
    );
    await scene.hurry();
    await withSlip(given.shop, given.deposit, 'booked');
    await asking;
    expect(await scene.deposits.credits(given.shop)).toHaveLength(1);
  });
});

describe('a slip of a channel whose credentials can’t be opened', () => {
  /** Waits for what a worker logs of it, with this reason. */
  const untilLogged = async (channel: string, because = ''): Promise<Record<string, string>> => {
    const isOfIt = (line: Record<string, string>): boolean =>
      JSON.stringify(line).includes(channel) && (line.reason ?? '').includes(because);
    await eventually(
      () => Promise.resolve(logged),
      (lines) => lines.some(isOfIt),
    );
    return logged.find(isOfIt) ?? {};
  };

  it('is asked about once they can be, and keeps no slip of another channel from its check', async () => {
    const { stack } = scene.deposits;
    const [broken, other] = [await paying(), await paying()];
    for (const given of [broken, other]) expect(await present(given)).toMatchObject({ slip: { status: 'checking' } });
    const of = [broken.channel];
    const [sealed] = await stack.sql<{ credentials_sealed: Buffer }>(
      `SELECT credentials_sealed FROM deposit_channels WHERE code = $1`,
      of,
    );
    await stack.sql(`UPDATE deposit_channels SET credentials_sealed = '\\x00' WHERE code = $1`, of);
    await scene.pay(other.transfer);
    await stack.sql(
      `UPDATE slip_checks SET tries = 5 FROM deposit_channels c WHERE c.id = channel_id AND c.code = $1`,
      of,
    );
    await scene.hurry();
    await withSlip(other.shop, other.deposit, 'booked');
    await untilLogged(broken.channel);
    expect(await scene.get(broken.shop, broken.deposit)).toMatchObject({ slip: { status: 'checking', code: null } });
    const waiting = await stack.sql(
      `SELECT tries FROM slip_checks JOIN deposit_channels c ON c.id = channel_id WHERE c.code = $1 AND state = 'checking'`,
      of,
    );
    expect([waiting, await pausedUntil(broken.channel)]).toEqual([[{ tries: 5 }], null]);
    await scene.pay(broken.transfer);
    await stack.sql(`UPDATE deposit_channels SET credentials_sealed = $2 WHERE code = $1`, [
      ...of,
      sealed?.credentials_sealed,
    ]);
    await withSlip(broken.shop, broken.deposit, 'booked');
    expect(await scene.calls(broken.transfer)).toBe(2);
  });

  it('by one worker is checked by the others, and its service is tested by them after a pause', async () => {
    const { stack } = scene.deposits;
    const given = await paying();
    await present(given);
    await scene.pay(given.transfer);
    await stack.stopWorkers();
    await stack.startWorker({ secretsKey: randomBytes(32) });
    // Due for so long that no worker seems to check them.
    await stack.sql(`UPDATE slip_checks SET next_at = now() - interval '6 minutes' WHERE next_at IS NOT NULL`);
    const { msg, level } = await untilLogged(given.channel, 'sealed under another SECRETS_KEY');
    expect(await pausedUntil(given.channel)).toBeNull();
    expect([level, msg]).toEqual(['error', expect.stringMatching(/start it with the SECRETS_KEY of the others/)]);
    await eventually(
      () => isPaused(given.channel),
      (value) => value === 1,
    );
    const paused = `UPDATE deposit_channels SET slips_paused_until = now() WHERE code = $1`;
    await stack.sql(paused, [given.channel]);
    await stack.startWorker();
    await withSlip(given.shop, given.deposit, 'booked');
    expect(await pausedUntil(given.channel)).toBeNull();
    await eventually(
      () => isPaused(given.channel),
      (value) => value === 0,
    );
    await stack.stopWorkers();
    await stack.startWorker();
  });
});

describe('a slip service that refuses us', () => {
  it('is asked about no slip until it accepts us again', async () => {
    const given = await paying();
    await scene.pay(given.transfer);
    await scene.service.sim('account', { api_key: 'another' });
    expect(await present(given)).toMatchObject({ slip: { status: 'checking' } });
    const tested = await scene.deposits.operator.run('channel', 'test', given.channel, '--json');
    expect([tested.code, JSON.parse(tested.stdout)]).toMatchObject([
      1,
      { checks: [{}, {}, { name: 'slips', ok: false }] },
    ]);
    const of = { channel: given.channel };
    const paused = (): Promise<number | undefined> => isPaused(given.channel);
    await eventually(paused, (value) => value === 1);
    expect(await scene.deposits.operator.json('channel', 'show', given.channel)).toMatchObject({
      slips_paused_until: expect.any(String),
    });
    const counted = await Scrape.of(port);
    expect(counted.value('topup_slip_checks_total', { ...of, outcome: 'refused' })).toBe(1);
    await scene.hurry();
    const second = await scene.deposits.deposit(given.channel, given.shop);
    const other = scene.transfer(second, '');
    await scene.present(given.shop, second, other.payload);
    expect(await scene.calls(other)).toBe(0);

    await scene.service.sim('account', { api_key: KEY });
    expect(await scene.deposits.operator.json('channel', 'test', given.channel)).toMatchObject({ ok: true });
    await scene.deposits.stack.sql(`UPDATE deposit_channels SET slips_paused_until = now() WHERE code = $1`, [
      given.channel,
    ]);
    await withSlip(given.shop, given.deposit, 'booked');
    await eventually(paused, (value) => value === 0);
    expect(await scene.calls(given.transfer)).toBe(2);
  });

  it('is asked six times about a slip that was presented meanwhile, too', async () => {
    const given = await paying();
    await scene.service.sim('account', { api_key: 'another' });
    await present(given);
    await scene.service.sim('account', { api_key: KEY });
    const deposit = await scene.deposits.deposit(given.channel, given.shop);
    const meanwhile = scene.transfer(deposit, '');
    await scene.present(given.shop, deposit, meanwhile.payload);
    expect(await scene.calls(meanwhile)).toBe(0);
    await scene.takeSlips(given.channel);
    for (let calls = 1; calls <= 6; calls++) {
      expect((await scene.get(given.shop, deposit)).slip).toMatchObject({ status: 'checking' });
      await scene.hurry();
      await eventually(
        () => scene.calls(meanwhile),
        (made) => made === calls,
      );
    }
    expect(await withSlip(given.shop, deposit, 'refused')).toMatchObject({ slip: { code: 'SLIP_UNKNOWN' } });
  });

  it('is asked again at once if the key was set anew before its answer came', async () => {
    const given = await paying();
    await scene.pay(given.transfer);
    await withHeldRefusal(async ({ url, called, release }) => {
      const move = 'UPDATE deposit_channels SET base_url = $1 WHERE code = $2';
      await scene.deposits.stack.sql(move, [url, given.channel]);
      const presenting = present(given);
      await called;
      await scene.takeSlips(given.channel);
      release();
      await presenting;
    });
    expect(await pausedUntil(given.channel)).toBeNull();
    await withSlip(given.shop, given.deposit, 'booked');
  });

  it('is asked again at once if the key is set anew', async () => {
    const given = await paying();
    await scene.pay(given.transfer);
    await scene.service.sim('rules', { match: {}, code: 'IP_NOT_ALLOWED', http: 403 });
    await present(given);
    await scene.takeSlips(given.channel);
    await withSlip(given.shop, given.deposit, 'booked');
  });
});
