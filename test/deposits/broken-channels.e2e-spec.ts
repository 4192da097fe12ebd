import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChannelInquiriesService } from '../../src/deposits/channel-inquiries.service.js';
import { miniQr } from '../../src/deposits/slips/mini-qr.js';
import { PUBLIC_KEY, SECRET_KEY } from '../simulators/opn-client.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { DepositsScene, newPromptPayId, type DepositView } from './scene.js';

let scene: DepositsScene;
let broken: string;
const logged: Record<string, string>[] = [];

beforeAll(async () => {
  const logTo = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, string>) };
  // Each worker would log the broken channels, too.
  scene = await DepositsScene.start({ LOG_LEVEL: 'info' }, { worker: false, logTo });
});

afterAll(() => scene.close());

const set = (code: string, ...options: string[]): string[] => [
  ...`channel set --code ${code} --adapter promptpay`.split(' '),
  ...options,
];
const option = (name: string, value: string): string[] => ['--option', `${name}=${value}`];
const ofNew = (code: string, id = newPromptPayId()): string[] => set(code, ...option('promptpay_id', id));

interface Shown {
  status: string;
  options: Record<string, string>;
}
const show = (code: string): Promise<Shown> => scene.operator.json<Shown>('channel', 'show', code);

/** Stores an option that this version of the adapter refuses, as an earlier version may have done. */
const breakOption = (code: string): Promise<object[]> =>
  scene.stack.sql(`UPDATE deposit_channels SET options = options || '{"spread": "90"}' WHERE code = $1`, [code]);

/** Leaves the channel with credentials that the present SECRETS_KEY can't open. */
const breakCredentials = (code: string): Promise<object[]> =>
  scene.stack.sql(`UPDATE deposit_channels SET credentials_sealed = '\\x00' WHERE code = $1`, [code]);

const PAUSE = `UPDATE deposit_channels SET pause_reason = 'credentials', probe_at = now() + interval '1 hour' WHERE code = $1`;

/** A broken channel keeps some changes of others from being made, so each test has only its own. */
const mend = (): Promise<object[]> =>
  scene.stack.sql(
    `UPDATE deposit_channels SET options = options - 'spread', credentials_sealed = NULL, credential_names = '{}'`,
  );

beforeEach(async () => {
  await mend();
  broken = await scene.channel();
  await scene.deposit(broken, await scene.stack.merchant('0.00'));
});

describe('a channel with an option that its adapter can’t read', () => {
  beforeEach(() => breakOption(broken));

  it('can be paused, and says what is wrong', async () => {
    const { code, stdout, stderr } = await scene.operator.run(...set(broken, '--inactive'), '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'inactive' }]);
    expect(stderr).toContain('the option spread must be a whole number, 1 to 50');
    expect(await scene.operator.refused(...set(broken, '--active'))).toContain('the option spread must be');
  });

  it('is mended by setting it', async () => {
    await scene.operator.json(...set(broken, ...option('spread', '5')));
    expect((await show(broken)).options).toMatchObject({ spread: '5' });
  });

  it('gets no other account as long as it has deposits, also when it is mended', async () => {
    const elsewhere = [...option('spread', '5'), ...option('promptpay_id', newPromptPayId())];
    expect(await scene.operator.refused(...set(broken, ...elsewhere))).toMatch(
      /has deposits or statements of its account/,
    );
  });

  it('gets no account of another kind, although its other options are mended', async () => {
    const elsewhere = ['--remove-option', 'promptpay_id', ...option('biller_id', '099400015804189')];
    expect(await scene.operator.refused(...set(broken, ...option('spread', '5'), ...elsewhere))).toMatch(
      /has deposits or statements of its account/,
    );
  });

  it('keeps no other channel from being paused, resumed or set', async () => {
    await mend();
    const other = await scene.channel();
    await breakOption(broken);
    for (const change of [['--inactive'], ['--active'], ['--min', '200.00']]) {
      await scene.operator.json(...set(other, ...change));
    }
  });

  it('is named if a new account may be its own', async () => {
    await mend();
    const other = await scene.channel();
    await breakOption(broken);
    const refusal = `error: the settings of channel ${broken} can't be read, and it may have this account: set that channel first\n`;
    await scene.operator.refusedAll([
      [ofNew('new'), refusal],
      [ofNew(other), refusal],
    ]);
  });

  it('is mended beside another broken channel, but not with the account of a third one', async () => {
    await mend();
    const [second, third] = [await scene.channel(), await scene.channel()];
    await Promise.all([breakOption(broken), breakOption(second)]);
    const { promptpay_id: id = '' } = (await show(third)).options;
    expect(await scene.operator.refused(...ofNew(second, id), ...option('spread', '5'))).toContain(
      `channel ${third} has this account already`,
    );
    for (const each of [broken, second]) await scene.operator.json(...set(each, ...option('spread', '5')));
  });
});

describe('a channel with credentials that can’t be opened', () => {
  beforeEach(async () => {
    await scene.operator.json(...set(broken, '--credential', 'slip_key=old'));
    await breakCredentials(broken);
  });

  it('can be paused', async () => {
    const { code, stdout } = await scene.operator.run(...set(broken, '--inactive'), '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'inactive' }]);
  });

  it('is mended by entering them again', async () => {
    expect(await scene.operator.refused(...set(broken, ...option('spread', '5')))).toBe(
      `error: the stored slip_key of channel ${broken} can't be opened: enter it again, or use the SECRETS_KEY that sealed it\n`,
    );
    await scene.operator.json(...set(broken, '--credential', 'slip_key=new'));
    expect(await scene.operator.json('channel', 'test', broken)).toMatchObject({ ok: true });
  });

  it('gets no other account meanwhile', async () => {
    const elsewhere = ofNew(broken);
    expect(await scene.operator.refused(...elsewhere, '--credential', 'slip_key=new')).toMatch(
      /has deposits or statements of its account/,
    );
  });
});

describe.each<[name: string, breakChannel: (code: string) => Promise<object[]>, reason: RegExp]>([
  ['an option that its adapter can’t read', breakOption, /the option spread must be/],
  ['credentials that can’t be opened', breakCredentials, /a sealed secret is not readable/],
])('a deposit of a merchant, while a channel has %s,', (_, breakChannel, reason) => {
  let merchant: TestMerchant;
  let other: string;

  const create = (members: object = {}, reference = unique('deposit')): Promise<Answer<DepositView>> =>
    merchant.client.post<DepositView>('/v1/deposits', { reference_id: reference, amount: '1000.00', ...members });

  beforeEach(async () => {
    await scene.stack.sql(`UPDATE deposit_channels SET status = 'inactive' WHERE code NOT IN ($1, 'sandbox')`, [
      broken,
    ]);
    other = await scene.channel();
    merchant = await scene.stack.merchant('0.00');
    await scene.operator.json(...set(broken, '--priority', '1', '--credential', 'slip_key=old'));
    await breakChannel(broken);
  });

  it('goes to the next channel that takes its amount', async () => {
    expect(await create()).toMatchObject({ status: 200, body: { channel: other } });
  });

  it('is refused as at a paused channel, if it names the broken one or finds no other', async () => {
    const atBroken = [await create({ channel: broken }, 'named'), await create({ amount: '700000.01' })];
    await scene.operator.json(...set(other, '--inactive'));
    atBroken.push(await create());
    await mend();
    await scene.stack.sql(PAUSE, [broken]);
    const atPaused = [
      await create({ channel: broken }, 'named'),
      await create({ amount: '700000.01' }),
      await create(),
    ];
    const shown = ({ status, headers, body }: Answer<object>): object => ({
      status,
      retryAfter: headers.get('retry-after'),
      body,
    });
    expect(atBroken.map(shown)).toEqual(atPaused.map(shown));
    for (const refused of atBroken) expectError(refused, 503, 'SERVICE_UNAVAILABLE');
  });

  it('takes no slip until the channel can be read again', async () => {
    await mend();
    const { body } = await create({ channel: broken });
    await breakChannel(broken);
    const payload = miniQr({
      bank: '014',
      transRef: unique('T')
        .replaceAll(/[^0-9A-Za-z]/g, '')
        .slice(-25),
    });
    const present = (): Promise<Answer<object>> =>
      merchant.client.once.post<object>(`/v1/deposits/${body.reference_id}/slip`, { payload });
    const refused = await present();
    expectError(refused, 503, 'SERVICE_UNAVAILABLE', /takes no slips now/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await mend();
    expectError(await present(), 409, 'CONFLICT', /takes no slips: wait for the payment/);
  });

  it('makes the log name each reason once, and its end, and again when it breaks again', async () => {
    const lines = (): Record<string, string>[] => logged.filter(({ channel }) => channel === broken);
    const isOf = (matching: RegExp): object => ({ level: 'error', reason: expect.stringMatching(matching) });
    for (const channel of [undefined, broken, undefined]) await create(channel === undefined ? {} : { channel });
    expect(lines()).toMatchObject([isOf(reason)]);
    await mend();
    await (breakChannel === breakOption ? breakCredentials : breakOption)(broken);
    for (const channel of [broken, broken]) await create({ channel });
    await mend();
    expect(await create()).toMatchObject({ status: 200, body: { channel: broken } });
    await breakOption(broken);
    await create();
    const other = /the option spread must be|a sealed secret is not readable/;
    expect(lines()).toMatchObject([isOf(reason), isOf(other), { level: 'info' }, isOf(/the option spread must be/)]);
  });

  it('is no reason to log each turn of its inquiries', async () => {
    const due = `UPDATE deposits SET channel_payment_id = 'chrg_1', next_inquiry_at = now()
                 WHERE channel_id = (SELECT id FROM deposit_channels WHERE code = $1)`;
    await scene.stack.sql(due, [broken]);
    const before = logged.length;
    const inquiries = scene.stack.api.get(ChannelInquiriesService);
    for (let turn = 0; turn < 3; turn++) {
      await inquiries.inquireDue(AbortSignal.abort());
      await inquiries.onTasksStopped();
    }
    const warned = logged.slice(before).filter(({ level }) => level !== 'info');
    expect(warned).toMatchObject([{ channel: broken, reason: expect.stringMatching(reason) }]);
  });
});

it('a channel says that its callback address can’t be opened, and keeps it until a new one is wanted', async () => {
  const code = unique('opn').toLowerCase();
  const setOpn = ['channel', 'set', '--code', code, '--adapter', 'opn', '--base-url', 'http://127.0.0.1:1'];
  const keys = [`public_key=${PUBLIC_KEY}`, `secret_key=${SECRET_KEY}`].flatMap((key) => ['--credential', key]);
  const token = async (): Promise<string | undefined> => {
    const of = `SELECT encode(callback_token_sealed, 'hex') AS token FROM deposit_channels WHERE code = $1`;
    return (await scene.stack.sql<{ token: string }>(of, [code]))[0]?.token;
  };
  await scene.operator.json(...setOpn, ...keys);
  await scene.stack.sql(`UPDATE deposit_channels SET callback_token_sealed = '\\x00' WHERE code = $1`, [code]);
  const said = /its callback address can't be opened: start with the SECRETS_KEY that sealed it, or make a new one/;
  expect((await scene.operator.run(...setOpn, ...keys)).stderr).toMatch(said);
  expect(await token()).toBe('00');
  expect((await scene.operator.run(...setOpn, '--new-callback-url')).stderr).not.toMatch(said);
  expect(await token()).not.toBe('00');
  await scene.operator.json('channel', 'remove', code);
});

it('a broken channel without a list hides no failure of another channel’s list from the log', async () => {
  const vendor = unique('opn').toLowerCase();
  const keys = [`public_key=${PUBLIC_KEY}`, `secret_key=${SECRET_KEY}`].flatMap((key) => ['--credential', key]);
  const away = ['--base-url', 'http://127.0.0.1:1', '--priority', '200'];
  await scene.operator.json('channel', 'set', '--code', vendor, '--adapter', 'opn', ...away, ...keys);
  await breakOption(broken);
  try {
    await scene.stack.startWorker();
    await eventually(
      () => logged.filter(({ task }) => task === 'channel_lists'),
      (failures) => failures.some(({ reason }) => reason?.includes(`channel ${vendor}: `)),
    );
  } finally {
    await scene.stack.stopWorkers();
  }
});
