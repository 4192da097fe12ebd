import { describe, expect, it } from '@jest/globals';
import type { AdapterDescription } from './adapter-description.js';
import { accountOf, destinationOf } from './supplier-account.js';
import { describeAdapter } from './adapters.js';

const description = describeAdapter('digiflazz') as AdapterDescription;
const opened = { username: 'one', key: 'secret' };
const first = accountOf({ description, credentials: opened, before: undefined, open: () => ({}) });

/** The account of a supplier after a change of its settings. */
const after = (given: { credentials?: Record<string, string>; options?: Record<string, string> }): string =>
  accountOf({ description, ...given, before: { account: first, options: {} }, open: () => opened });

describe('the account at a supplier', () => {
  it('changes with the username, and when the option testing is switched on', () => {
    expect(after({ credentials: { username: 'two' } })).not.toBe(first);
    expect(after({ options: { testing: 'true' } })).not.toBe(first);
  });

  it('is the same with another key, the same username, or an unchanged option', () => {
    expect(after({ credentials: { key: 'other' } })).toBe(first);
    expect(after({ credentials: { username: 'one' } })).toBe(first);
    expect(after({ options: { testing: 'false' } })).toBe(first);
  });

  it('opens the stored credentials only if it may have changed', () => {
    const shut = (): never => {
      throw new Error('no key');
    };
    const before = { account: first, options: {} };
    expect(accountOf({ description, credentials: { key: 'x' }, before, open: shut })).toBe(first);
  });

  it('is empty if no credential identifies it', () => {
    const http = describeAdapter('http') as AdapterDescription;
    const account = accountOf({ description: http, before: undefined, open: () => ({}) });
    expect(destinationOf({ base_url: 'https://a.example', account })).toBe('https://a.example');
  });

  it.each([
    ['seagm', 'uid'],
    ['lapakgaming', 'secret_key'],
    ['http', 'token'],
  ])('at %s is another one with another %s, unless the operator says that it is the same', (adapter, name) => {
    const known = { uid: '10001', secret_key: 'k1', token: 't1' };
    const of = { description: describeAdapter(adapter) as AdapterDescription, open: () => known };
    const before = { account: accountOf({ ...of, credentials: known, before: undefined }), options: {} };
    expect(before.account).toMatch(/^[0-9a-f]{16}$/);
    const credentials = { [name]: 'another' };
    expect(accountOf({ ...of, credentials, before })).not.toBe(before.account);
    expect(accountOf({ ...of, credentials, before, isSameAccount: true })).toBe(before.account);
    expect(accountOf({ ...of, credentials: known, before })).toBe(before.account);
  });

  it('can be computed without the stored credentials if the operator enters all that identify it', () => {
    const shut = (): never => {
      throw new Error('no key');
    };
    const of = { description: describeAdapter('http') as AdapterDescription, open: shut };
    const before = { account: 'was', options: {} };
    expect(accountOf({ ...of, credentials: { token: 'new' }, before })).toMatch(/^[0-9a-f]{16}$/);
    expect(() => accountOf({ ...of, credentials: { token: null }, before })).toThrow('no key');
  });

  it('stays empty until it changes, if an older version of the service stored the supplier', () => {
    const of = {
      description: describeAdapter('seagm') as AdapterDescription,
      open: () => ({ uid: '10001' }),
    };
    const before = { account: '', options: {} };
    expect(accountOf({ ...of, credentials: { uid: '10001' }, before })).toBe('');
    expect(accountOf({ ...of, credentials: { uid: '20002' }, before })).not.toBe('');
  });

  it('does not reveal the username', () => {
    expect(first).toMatch(/^[0-9a-f]{16}$/);
  });
});
