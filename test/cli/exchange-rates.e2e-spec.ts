import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectSince } from '../support/expectations.js';
import { TestStack } from '../support/stack.js';
import { CommandLine } from './command-line.js';

interface Rate {
  currency: string;
  rate: string;
  valid_from: string;
}

let stack: TestStack;
let commandLine: CommandLine;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
});

afterAll(() => stack.close());

const set = (currency: string, rate: string): Promise<Rate> =>
  commandLine.json<Rate>('fx', 'set', '--currency', currency, '--rate', rate);

const list = async (currency: string): Promise<Rate[]> =>
  (await commandLine.json<Rate[]>('fx', 'list')).filter((each) => each.currency === currency);

describe('topup fx', () => {
  it('sets the rate of a currency from now on, keeps earlier rates, and lists the current one', async () => {
    const before = Date.now();
    const first = await set('IDR', '0.0021');
    expect(first).toEqual({ currency: 'IDR', rate: '0.0021', valid_from: expect.any(String) });
    expectSince(before, Date.parse(first.valid_from));
    expect(await list('IDR')).toEqual([first]);
    const second = await set('idr', '0.00220');
    expect(second).toMatchObject({ currency: 'IDR', rate: '0.0022' });
    expect(await list('IDR')).toEqual([second]);
    expect(await stack.sql(`SELECT source FROM fx_rates WHERE currency = 'IDR'`)).toEqual([
      { source: 'operator' },
      { source: 'operator' },
    ]);
    const [entry] = await commandLine.json<object[]>('log', '--action', 'fx.set');
    expect(entry).toMatchObject({
      operator: 'operator-1',
      detail: { currency: 'IDR', rate: '0.0022', before: '0.0021' },
    });
  });

  it('keeps all ten digits', async () => {
    expect(await set('VND', '0.0013456789')).toMatchObject({ rate: '0.0013456789' });
    expect(await set('KWD', '1234567890')).toMatchObject({ rate: '1234567890' });
  });

  it('marks rates that are too old to be used', async () => {
    await stack.sql(`INSERT INTO fx_rates VALUES ('JPY', 0.23, now() - interval '7 days 1 minute', 'test')`);
    const { stderr } = await commandLine.run('fx', 'list');
    expect(stderr).toBe('Too old to be used, set again: JPY\n');
    await set('JPY', '0.23');
    expect((await commandLine.run('fx', 'list')).stderr).toBe('');
  });

  it('replaces a rate that a clock ahead of its time set', async () => {
    await stack.sql(`INSERT INTO fx_rates VALUES ('MYR', 8.5, now() + interval '1 hour', 'test')`);
    const rate = await set('MYR', '7.5');
    expect(await list('MYR')).toEqual([rate]);
    expect(await stack.sql(`SELECT baht_per_unit FROM fx_rates WHERE currency = 'MYR' AND valid_from > now()`)).toEqual(
      [],
    );
  });

  it('refuses a rate for baht, and invalid rates', async () => {
    const rate = (currency: string, value: string): string[] => ['fx', 'set', '--currency', currency, '--rate', value];
    await commandLine.refusedAll([
      [rate('THB', '1'), 'error: the rate of THB is always 1\n'],
      [rate('USD', '0'), /decimal number above 0/],
      [rate('USD', '0.00000000001'), /decimal number above 0/],
      [rate('USD', '35,5'), /decimal number above 0/],
      [rate('USD', '1e3'), /decimal number above 0/],
      [rate('DOLLAR', '35'), /currency code of three letters/],
    ]);
    expect(await list('USD')).toEqual([]);
  });
});
