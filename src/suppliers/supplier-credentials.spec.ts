import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../core/secret-box.js';
import {
  credentialNames,
  NO_CREDENTIALS,
  SupplierCredentials,
  type CredentialColumns,
} from './supplier-credentials.js';
import type { Changes } from './supplier-settings.js';

const box = new SecretBox(randomBytes(32));
const credentials = new SupplierCredentials(box);
const keyless = new SupplierCredentials(new SecretBox(randomBytes(32)));

let columns: CredentialColumns;
const change = (changes: Changes): void => {
  columns = { ...columns, ...credentials.change(columns, changes) };
};

beforeEach(() => {
  columns = NO_CREDENTIALS;
});

describe('credentials of a supplier', () => {
  it('are kept until they are replaced or removed', () => {
    change({ username: 'shop', key: 'k-1', webhook_secret: 'w-1' });
    change({ key: 'k-2' });
    expect(credentials.open(columns)).toEqual({ username: 'shop', key: 'k-2', webhook_secret: 'w-1' });
    change({ webhook_secret: null });
    expect(credentials.open(columns)).toEqual({ username: 'shop', key: 'k-2' });
    expect(credentialNames(columns)).toEqual(['username', 'key']);
    change({ username: null, key: null });
    expect(columns).toEqual(NO_CREDENTIALS);
  });

  it('have the token in the column that the version before reads and writes', () => {
    change({ token: 't-1', key: 'k-1' });
    expect(box.open(columns.token_sealed ?? Buffer.of())).toBe('t-1');
    // As the version before replaces it, and removes it.
    columns = { ...columns, token_sealed: box.seal('t-2') };
    expect(credentials.open(columns)).toEqual({ token: 't-2', key: 'k-1' });
    columns = { ...columns, token_sealed: null };
    expect(credentials.open(columns)).toEqual({ key: 'k-1' });
    expect(credentialNames(columns)).toEqual(['key']);
  });

  it('are left alone where no change concerns them, also without the key that opens them', () => {
    change({ token: 't-1', key: 'k-1' });
    expect(keyless.change(columns, {})).toEqual({});
    expect(Object.keys(keyless.change(columns, { token: 't-2' }))).toEqual(['token_sealed']);
    expect(() => keyless.change(columns, { key: 'k-2' })).toThrow(/another SECRETS_KEY/);
  });
});
