import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../../src/core/durations.js';
import { ChannelCallbacksRepository } from '../../../src/deposits/callbacks/channel-callbacks.repository.js';
import { DepositsRepository } from '../../../src/deposits/deposits.repository.js';
import { InquiriesRepository } from '../../../src/deposits/inquiries.repository.js';
import { VendorListsService } from '../../../src/deposits/vendor-lists.service.js';
import { WrittenAheadRepository } from '../../../src/maintenance/written-ahead.repository.js';
import { CommandLine } from '../../cli/command-line.js';
import { eventually } from '../../support/eventually.js';
import { expectError } from '../../support/expectations.js';
import { Client } from '../../support/http.js';
import { WEBHOOK_SECRET, type Json } from '../../simulators/opn-client.js';
import { baht, closeWithRightBooks, satang, type PaymentView } from '../scene.js';
import { OpnScene, type Deposit } from './scene.js';

let scene: OpnScene;
let path: string;
let nobody: Client;
let journalBefore = 0;
const logged: string[] = [];

beforeAll(async () => {
  scene = await OpnScene.start({ create_event: 'not_sent' }, { write: (line) => void logged.push(line) });
  path = await scene.path();
  nobody = new Client(scene.deposits.stack.url, null);
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

const signed = (body: string): Record<string, string> => {
  const at = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(WEBHOOK_SECRET, 'base64');
  const signature = createHmac('sha256', key).update(`${at}.${body}`).digest('hex');
  return { 'omise-signature': `00,${signature}`, 'omise-signature-timestamp': at };
};

const send = (body: string, headers = signed(body), to = path): ReturnType<Client['send']> =>
  nobody.send('POST', to, body, headers);

const about = (charge: string): string =>
  JSON.stringify({ object: 'event', key: 'charge.complete', data: { object: 'charge', id: charge } });

const verdicts = (): Promise<{ verdict: string; charge_ref: string | null; detail: string | null }[]> =>
  scene.deposits.stack.sql(
    `SELECT verdict, charge_ref, detail FROM channel_callbacks JOIN deposit_channels c ON c.id = channel_id
     WHERE code = $1 ORDER BY channel_callbacks.id`,
    [scene.code],
  );

const forge = ({ deposit_number }: Deposit, wanted: Json): Promise<Json> =>
  scene.opn.sim('callbacks', { ref_id: deposit_number, ...wanted });

/** How often the service has asked about charges of no deposit since {@link forget}. */
const unknownAsked = async (): Promise<number> =>
  (await scene.opn.sim<Json[]>('journal'))
    .slice(journalBefore)
    .filter(({ path: of }) => String(of).startsWith('/charges/chrg_unknown')).length;

/** Forgets all callbacks. */
async function forget(): Promise<void> {
  await scene.deposits.stack.sql(`DELETE FROM channel_callbacks`);
  journalBefore = (await scene.opn.sim<Json[]>('journal')).length;
}

/** The further charges about which the service asks now. */
async function moreOfUnknown(): Promise<unknown[]> {
  const { stack } = scene.deposits;
  const [channel] = await stack.sql<{ id: number }>(`SELECT id FROM deposit_channels WHERE code = $1`, [scene.code]);
  return stack.api.get(ChannelCallbacksRepository).claimUnknown(Number(channel?.id));
}

/** Lets a time pass for the callbacks. */
const wait = (time: string): Promise<unknown> =>
  scene.deposits.stack.sql(
    `UPDATE channel_callbacks SET received_at = received_at - $1::interval, ask_at = ask_at - $1::interval,
       claimed_at = claimed_at - $1::interval`,
    [time],
  );

describe('a callback', () => {
  it('that is not proven makes nobody ask; one that is proven books what Opn answers, not what it says', async () => {
    const made = await scene.unheard();
    await scene.settle(made);
    for (const signature of ['absent', 'wrong', 'stale', 'other_header']) await forge(made, { signature });
    expect((await verdicts()).slice(-4).map(({ verdict }) => verdict)).toEqual(Array(4).fill('refused'));
    expect(await scene.calls(made, 'retrieve')).toEqual([]);
    await forge(made, { set: { amount: 1_000_000 }, event: 'charge.complete' });
    const paid = await eventually(
      () => scene.get(made),
      ({ status }) => status === 'paid',
    );
    expect(paid.paid_amount).toBe('1000.00');
    expect(await scene.calls(made, 'retrieve')).toHaveLength(1);
    expect(await scene.available()).toBe('1000.00');
  });

  it('that comes twenty times, shuffled with others that say it failed, books once', async () => {
    const made = await scene.unheard();
    await scene.settle(made);
    const wanted = Array.from({ length: 20 }, (_, n) => ({
      set: { status: n % 2 ? 'failed' : 'successful' },
      event: 'charge.complete',
    }));
    await Promise.all(wanted.map((each) => forge(made, each)));
    await scene.until(made, 'paid');
    expect(await scene.payments()).toHaveLength(2);
    await scene.ask(made);
    await scene.until(made, 'paid');
  });

  it('that comes soon after a question makes the service ask again two seconds after it, not at once', async () => {
    const made = await scene.unheard();
    const of = [made.deposit_number];
    await scene.deposits.stack.sql(
      `UPDATE deposits SET asked_at = now() + interval '30 seconds' WHERE deposit_number = $1`,
      of,
    );
    await forge(made, { event: 'charge.complete' });
    const waits = await scene.deposits.stack.sql(
      `SELECT next_inquiry_at - asked_at = interval '2 seconds' AS two_seconds FROM deposits WHERE deposit_number = $1`,
      of,
    );
    expect(waits).toEqual([{ two_seconds: true }]);
    expect(await scene.calls(made, 'retrieve')).toEqual([]);
  });

  it('that comes before the answer to the creation books by the charge’s metadata', async () => {
    const rule = { match: { call: 'charge' }, callback: { mode: 'before_answer' }, then: [{ status: 'successful' }] };
    await scene.opn.sim('rules', rule);
    await scene.until(await scene.made(), 'paid');
  });

  it('is refused at another address, by another method, or if it is too large', async () => {
    for (const wrong of [
      `${path}0`,
      path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      `/deposit-callbacks/nobody/${path.split('/').pop()}`,
    ])
      expectError(await send('{}', {}, wrong), 404, 'NOT_FOUND', 'The callback address was not found');
    expectError(await nobody.send('GET', path, undefined), 404, 'NOT_FOUND');
    expectError(await send(' '.repeat(65 * 1024)), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await send('{}', {}), 401, 'UNAUTHORIZED');
  });

  it('that can’t be read, or is about nothing, changes nothing', async () => {
    for (const [body, verdict] of [
      ['no JSON', 'unreadable'],
      ['{"object":"event","data":{"object":"charge","id":"../account"}}', 'unreadable'],
      ['{"object":"event","key":"customer.create","data":{"object":"customer"}}', 'ping'],
      ['{"object":"event","key":"charge.create","data":{"object":"charge","id":"chrg_test_new"}}', 'ping'],
    ] as const) {
      expect((await send(body)).status).toBe(200);
      expect((await verdicts()).at(-1)).toMatchObject({ verdict, charge_ref: null });
    }
  });

  it('about unknown charges makes the service ask ten times a minute, although all come at once', async () => {
    await forget();
    const unknown = Array.from({ length: 15 }, (_, n) => send(about(`chrg_unknown_${n}`)));
    for (const { status } of await Promise.all(unknown)) expect(status).toBe(200);
    await eventually(unknownAsked, (count) => count === 10);
    expect(await moreOfUnknown()).toEqual([]);
    await wait('1 minute');
    await eventually(unknownAsked, (count) => count === 15);
    expect(await scene.payments('--waiting')).toEqual([]);
  });

  it('about unknown charges makes the service ask less often while Opn does not answer', async () => {
    await forget();
    const waits = (atLeast: string): Promise<unknown[]> =>
      scene.deposits.stack.sql(`SELECT FROM channel_callbacks WHERE ask_at >= claimed_at + $1::interval`, [atLeast]);
    const rule = { match: { call: 'retrieve' }, times: null, code: 'too_many_requests', http: 429 };
    await scene.opn.sim('rules', rule);
    for (let n = 0; n < 12; n++) await send(about(`chrg_unknown_${n}`));
    await eventually(unknownAsked, (count) => count === 10);
    expect(await waits('1 minute')).toHaveLength(10);
    await wait('4 minutes');
    await eventually(unknownAsked, (count) => count === 20);
    expect(await waits('4 minutes')).toHaveLength(10);
    expect(await moreOfUnknown()).toEqual([]);
    await scene.opn.sim('rules', undefined, 'DELETE');
    await wait('4 minutes');
    await eventually(unknownAsked, (count) => count >= 30);
    await eventually(
      async () => {
        // On a slow machine, some of them get their answers later than others.
        await wait('1 minute');
        return scene.deposits.stack.sql(`SELECT FROM channel_callbacks WHERE asked_at IS NULL`);
      },
      ({ length }) => length === 0,
    );
  });

  it.each([
    ['a first inquiry beside repetitions', 'NULL', `now() - interval '11 minutes'`],
    ['a repetition beside first inquiries', `now() - interval '11 minutes'`, 'NULL'],
  ])('about unknown charges leads to %s that were due before it', async (_, ofOne, ofOthers) => {
    const { stack } = scene.deposits;
    await stack.stopWorkers();
    await forget();
    await stack.sql(
      `INSERT INTO channel_callbacks (channel_id, received_at, remote_address, verdict, charge_ref, ask_at, claimed_at)
       SELECT id, now() - interval '1 hour', '::1', 'unknown_charge', 'chrg_unknown_' || n, now() - (14 - n) * interval '1 second',
              CASE n WHEN 13 THEN ${ofOne} ELSE ${ofOthers} END
       FROM deposit_channels, generate_series(1, 13) n WHERE code = $1`,
      [scene.code],
    );
    const claimed = await moreOfUnknown();
    expect(claimed).toHaveLength(10);
    expect(claimed).toContainEqual(expect.objectContaining({ charge_ref: 'chrg_unknown_13' }));
    await stack.startWorker();
  });

  it('about an unknown charge is given up after two hours without an answer, and nobody looks for it', async () => {
    const { stack } = scene.deposits;
    await stack.sql(`DELETE FROM channel_callbacks`);
    await send(about('chrg_unknown'));
    await eventually(
      () => stack.sql(`SELECT FROM channel_callbacks WHERE asked_at IS NOT NULL`),
      ({ length }) => length === 1,
    );
    await stack.sql(
      `UPDATE channel_callbacks SET received_at = now() - interval '2 hours', ask_at = now() - interval '1 hour', asked_at = NULL`,
    );
    await eventually(
      () => stack.api.get(InquiriesRepository).listDueChannels(),
      ({ length }) => length === 0,
    );
    // A worker that asks claims it first.
    const left = await stack.sql(`SELECT asked_at, ask_at < now() AS is_left FROM channel_callbacks`);
    expect(left).toEqual([{ asked_at: null, is_left: true }]);
  });
});

describe('a payment in another currency', () => {
  it('waits, and is in no sum of the report and the audit', async () => {
    const [made, foreign] = [await scene.made(), await scene.made()];
    await scene.settle(made);
    await scene.until(made, 'paid');
    const set = { currency: 'USD' };
    await scene.opn.sim('rules', { match: { call: 'retrieve', ref_id: foreign.deposit_number }, set });
    await scene.settle(foreign);
    const payments = await eventually(
      () => scene.payments(),
      (found) => found.some(({ currency }) => currency === 'USD'),
    );
    const sum = (found: PaymentView[]): string => baht(found.reduce((total, each) => total + satang(each.amount), 0n));
    const thb = payments.filter(({ currency }) => currency === 'THB');
    const today = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 10);
    const of = ['--from', today, '--to', today, '--channel', scene.code];
    expect(await scene.deposits.operator.json('report', 'deposits', ...of)).toMatchObject([
      { payments: thb.length + 1, amount: sum(thb), other_currencies: 1 },
    ]);
    const { stdout } = await scene.deposits.operator.run('audit', '--json');
    const waiting = sum(thb.filter(({ state }) => state === 'waiting'));
    expect(stdout).toMatch(new RegExp(`, ${sum(thb)} = .+ waiting ${waiting} .+; 1 payment in other currencies"`));
  });
});

describe('the image of a deposit’s QR code', () => {
  it('is not read for lists and searches', async () => {
    const made = await scene.made();
    expect(made.qr_image).not.toBeNull();
    const deposits = scene.deposits.stack.api.get(DepositsRepository);
    const { deposit_number: number, reference_id: referenceId } = made;
    const all = { merchantId: scene.merchant.id, status: null, createdFrom: null, createdTo: null };
    const page = { ...all, before: 10n ** 18n, limit: 1 };
    for (const [found] of [
      await deposits.list({ name: number, limit: 1 }),
      await deposits.search('deposit_number', number),
      await deposits.page({ ...page, referenceId: undefined }),
      await deposits.page({ ...page, referenceId }),
    ])
      expect([found?.deposit.deposit_number, found?.deposit.qr_image]).toEqual([number, undefined]);
  });
});

describe('the settings of a channel', () => {
  it('never show credentials, keep them by name, and refuse what can’t work', async () => {
    const shown = await scene.channel();
    expect(shown).toMatchObject({
      base_url: scene.opn.url,
      credentials: ['public_key', 'secret_key', 'webhook_secret'],
      status: 'active',
      min: '20.00',
      max: '150000.00',
    });
    const { stdout } = await scene.deposits.operator.run('log', '--json');
    for (const secret of ['skey_test_simulator', WEBHOOK_SECRET])
      expect(JSON.stringify(shown) + stdout).not.toContain(secret);
    const set = ['channel', 'set', '--adapter', 'opn', '--base-url', scene.opn.url];
    const refused = (...more: string[]): Promise<string> => scene.deposits.operator.refused(...set, ...more);
    const keys = (one: string, other: string): string[] => [
      '--credential',
      `public_key=${one}`,
      '--credential',
      `secret_key=${other}`,
    ];
    expect(await refused('--code', 'second', ...keys('pkey_test_simulator', 'skey_test_2'))).toMatch(
      /has this account already/,
    );
    expect(await refused('--code', 'second', ...keys('pkey_test_1', 'skey_live'))).toMatch(/both be live/);
    expect(await refused('--code', 'second', ...keys('skey_test_1', 'pkey_test_1'))).toMatch(/must begin with pkey_/);
    expect(await refused('--code', 'second')).toMatch(/requires the credentials public_key, secret_key/);
    expect(await refused('--code', scene.code, '--base-url', 'http://127.0.0.1:2')).toMatch(
      /enter public_key, secret_key, webhook_secret again for another host/,
    );
  });

  it('never change from keys of one mode to the other once there are deposits', async () => {
    await scene.made();
    const { operator } = scene.deposits;
    const setting = (code: string, mode: 'test_' | ''): string[] => {
      const of = ['channel', 'set', '--code', code, '--adapter', 'opn', '--base-url', scene.opn.url];
      const keys = [`public_key=pkey_${mode}other`, `secret_key=skey_${mode}other`];
      return [...of, ...keys.flatMap((key) => ['--credential', key])];
    };
    expect(await operator.refused(...setting(scene.code, ''))).toMatch(
      /has deposits of keys of the test mode, and these are of the other mode: set another channel/,
    );
    for (const mode of ['test_', '', 'test_'] as const) await operator.json(...setting('unused', mode));
    await operator.json('channel', 'remove', 'unused');
  });

  it('are tested without creating anything, and a new callback address replaces the old one', async () => {
    await scene.deposits.operator.json(
      'channel',
      'set',
      '--code',
      scene.code,
      '--adapter',
      'opn',
      '--new-callback-url',
    );
    expectError(await send('{}'), 404, 'NOT_FOUND');
    path = await scene.path();
    expect((await send('{}')).status).toBe(200);
    const checks = await scene.deposits.operator.json('channel', 'test', scene.code);
    expect(checks).toMatchObject({ ok: true, code: scene.code });
  });
});

describe('a refund of an old charge, of which no callback tells', () => {
  it('is found by the list of refunds, where Opn has one, and although another charge can’t be read', async () => {
    const [odd, made] = [await scene.unheard(), await scene.unheard()];
    for (const each of [odd, made]) {
      await scene.settle(each);
      await scene.ask(each);
      await scene.until(each, 'paid');
    }
    const waiting = await scene.payments('--waiting');
    // The account sells elsewhere, too, such as by another installation of this service: of these charges, nobody has heard here.
    const others = ['rent', 'dep_0000000000000001', 'DH7K3M9QX2B4', 'dep_\0'].map((deposit_number) => ({
      deposit_number,
    }));
    for (const each of others) {
      await scene.opn.sim('rules', { match: { call: 'charge' }, callback: { mode: 'never' } });
      const metadata = { deposit: each.deposit_number, merchant: String(scene.merchant.id) };
      await scene.opn.charge(each.deposit_number, { metadata });
      await scene.settle(each);
    }
    await scene.opn.sim('clock', { advance: '30d' });
    for (const each of others) await scene.settle(each, { status: 'successful', refunded_amount: 100_037 });
    for (const each of [odd, made]) await scene.settle(each, { status: 'successful', refunded_amount: 40_000 });
    const lists = scene.deposits.stack.api.get(VendorListsService);
    const sync = () => lists.sync(scene.code, { operator: 'nok' }, new Date(Date.now() + 10 * DAY_MS));
    await scene.opn.sim('readings', { refund_list: 'unknown' });
    expect(await sync()).toMatchObject({ seen: 0, takenBack: 0 });
    await scene.opn.sim('readings', { refund_list: 'known' });
    const strange = { match: { call: 'retrieve', ref_id: odd.deposit_number }, set: { status: 'strange' } };
    await scene.opn.sim('rules', strange);
    expect(await sync()).toMatchObject({ seen: 1, unreadable: 1, takenBack: 1 });
    const unread = () => logged.map((line) => JSON.parse(line) as Json).filter(({ unreadable }) => unreadable);
    const [of] = await scene.deposits.stack.sql<{ charge: string }>(
      `SELECT channel_payment_id AS charge FROM deposits WHERE deposit_number = $1`,
      [odd.deposit_number],
    );
    const named = (reason: string) => ({
      level: 'warn',
      channel: scene.code,
      unreadable: 1,
      first: [{ ...of, reason: expect.stringContaining(reason) }],
    });
    expect(unread()).toMatchObject([named('strange')]);
    await scene.opn.sim('rules', { match: { call: 'retrieve', ref_id: odd.deposit_number }, http: 400 });
    expect(await sync()).toMatchObject({ seen: 1, unreadable: 1, takenBack: 0 });
    expect(unread().slice(1)).toMatchObject([named('HTTP 400')]);
    // A new status of all charges is one warning, which names a few.
    await scene.opn.sim('rules', { ...strange, match: { call: 'retrieve' }, times: null });
    expect(await sync()).toMatchObject({ seen: 0, unreadable: 6 });
    await scene.opn.sim('rules', undefined, 'DELETE');
    expect(unread().slice(2)).toMatchObject([{ unreadable: 6, first: [{}, {}, {}] }]);
    const [found] = await scene.payments('--cases');
    expect(found).toMatchObject({ deposit_number: made.deposit_number, reason: 'TAKEN_BACK' });
    expect(await sync()).toMatchObject({ seen: 2, new: 0, takenBack: 1 });
    expect((await scene.opn.journal('rent')).at(-1)).toMatchObject({ call: 'retrieve' });
    expect(await scene.payments('--waiting')).toEqual(waiting);
    for (const { id } of await scene.payments('--cases'))
      await scene.deposits.operator.json('payment', 'keep', id, '--reason', 'a test', '--yes');
  });
});

describe('the next inquiry about a deposit', () => {
  it('may be due in two days, which is no time of a clock that was ahead', async () => {
    const { stack } = scene.deposits;
    const { deposit_number } = await scene.unheard();
    await stack.sql(
      `UPDATE deposits SET next_inquiry_at = now() + interval '32 hours', expires_at = now() - interval '2 days'
       WHERE deposit_number = $1`,
      [deposit_number],
    );
    const worker = await stack.startWorker();
    await worker.get(WrittenAheadRepository).pullBack();
    const [planned] = await stack.sql<{ is_kept: boolean }>(
      `SELECT next_inquiry_at > now() + interval '31 hours' AS is_kept FROM deposits WHERE deposit_number = $1`,
      [deposit_number],
    );
    expect(planned).toEqual({ is_kept: true });
  });
});

describe('the secrets of a channel', () => {
  it('are sealed again under a new key', async () => {
    const { config } = scene.deposits.stack;
    const SECRETS_KEY = randomBytes(32).toString('base64');
    const env = { DATABASE_URL: config.DATABASE_URL, SECRETS_KEY, SUPPLIER_CALLBACK_BASE_URL: 'https://new.example' };
    const before = config.secretsKey?.toString('base64') ?? '';
    const rotated = await new CommandLine({ ...env, SECRETS_PREVIOUS_KEYS: before }).json('secrets', 'rotate');
    expect(rotated).toEqual({ rotated: 2 });
    const renewed = new CommandLine(env);
    expect(await renewed.json('channel', 'test', scene.code)).toMatchObject({ ok: true });
    expect(await renewed.json('channel', 'show', scene.code)).toMatchObject({
      callback_url: `https://new.example${path}`,
    });
  });
});
