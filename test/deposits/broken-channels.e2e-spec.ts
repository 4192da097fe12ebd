import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DepositsScene, newPromptPayId } from './scene.js';

let scene: DepositsScene;
let broken: string;

beforeAll(async () => {
  scene = await DepositsScene.start();
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
      `error: the stored slip_key of channel ${broken} can't be opened: enter it again, or start with the SECRETS_KEY that sealed it\n`,
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
