import { describe, expect, it } from '@jest/globals';
import type { AdapterDescription } from './adapter-description.js';
import { accountOf, destinationOf } from './supplier-account.js';
import { describeAdapter } from './adapters.js';

const description = describeAdapter('digiflazz') as AdapterDescription;
const opened = { username: 'one', key: 'secret' };
const first = accountOf({ description, credentials: opened, before: undefined, open: () => ({}) });

/** After settings were given to a supplier that has the first account. */
const after = (given: { credentials?: Record<string, string>; options?: Record<string, string> }): string =>
  accountOf({ description, ...given, before: { account: first, options: {} }, open: () => opened });

describe('the account at a supplier', () => {
  it('is another one with another username, or when purchases become tests', () => {
    expect(after({ credentials: { username: 'two' } })).not.toBe(first);
    expect(after({ options: { testing: 'true' } })).not.toBe(first);
  });

  it('is the same with another key, the same username, or an option that says what was so before', () => {
    expect(after({ credentials: { key: 'other' } })).toBe(first);
    expect(after({ credentials: { username: 'one' } })).toBe(first);
    expect(after({ options: { testing: 'false' } })).toBe(first);
  });

  it('opens no credentials unless it may have changed', () => {
    const shut = (): never => {
      throw new Error('no key');
    };
    const before = { account: first, options: {} };
    expect(accountOf({ description, credentials: { key: 'x' }, before, open: shut })).toBe(first);
  });

  it('is nothing where only the address tells suppliers apart', () => {
    const http = describeAdapter('http') as AdapterDescription;
    const account = accountOf({
      description: http,
      credentials: { token: 'x' },
      before: undefined,
      open: () => ({}),
    });
    expect(destinationOf({ base_url: 'https://a.example', account })).toBe('https://a.example');
  });

  it('does not tell the username', () => {
    expect(first).toMatch(/^[0-9a-f]{16}$/);
  });
});
