import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../core/secret-box.js';
import {
  credentialNames,
  NO_CREDENTIALS,
  SupplierCredentialsService,
  type CredentialColumns,
} from './supplier-credentials.service.js';
import type { Changes } from './supplier-settings.js';
import { supplierPlace } from './supplier.entity.js';

const box = new SecretBox(randomBytes(32));
const credentials = new SupplierCredentialsService(box);
const keyless = new SupplierCredentialsService(new SecretBox(randomBytes(32)));

const CODE = 'vendor';

let columns: CredentialColumns;
const change = (changes: Changes): void => {
  columns = { ...columns, ...credentials.change(CODE, columns, changes) };
};
const opened = (): object => credentials.open({ ...columns, code: CODE });

beforeEach(() => {
  columns = NO_CREDENTIALS;
});

describe('credentials of a supplier', () => {
  it('stay until they are replaced or removed', () => {
    change({ username: 'shop', key: 'k-1', webhook_secret: 'w-1' });
    change({ key: 'k-2' });
    expect(opened()).toEqual({ username: 'shop', key: 'k-2', webhook_secret: 'w-1' });
    change({ webhook_secret: null });
    expect(opened()).toEqual({ username: 'shop', key: 'k-2' });
    expect(credentialNames(columns)).toEqual(['username', 'key']);
    change({ username: null, key: null });
    expect(columns).toEqual(NO_CREDENTIALS);
  });

  it('have the token in the column that the previous version reads and writes', () => {
    change({ token: 't-1', key: 'k-1' });
    expect(box.open(columns.token_sealed ?? Buffer.of(), supplierPlace('token_sealed', CODE))).toBe('t-1');
    // The writes of the previous version when it replaces or removes the token.
    columns = { ...columns, token_sealed: box.sealUnbound('t-2') };
    expect(opened()).toEqual({ token: 't-2', key: 'k-1' });
    columns = { ...columns, token_sealed: null };
    expect(opened()).toEqual({ key: 'k-1' });
    expect(credentialNames(columns)).toEqual(['key']);
  });

  it('are not touched by a change of others, even without the key that unseals them', () => {
    change({ token: 't-1', key: 'k-1' });
    expect(keyless.change(CODE, columns, {})).toEqual({});
    expect(Object.keys(keyless.change(CODE, columns, { token: 't-2' }))).toEqual(['token_sealed']);
    expect(() => keyless.change(CODE, columns, { username: 'shop' })).toThrow(/another SECRETS_KEY/);
  });

  it('can all be replaced, or removed, without the key that unseals them', () => {
    change({ username: 'shop', key: 'k-1', webhook_secret: 'w-1' });
    const replaced = {
      ...columns,
      ...keyless.change(CODE, columns, { username: 's', key: 'k-2', webhook_secret: null }),
    };
    expect(keyless.open({ ...replaced, code: CODE })).toEqual({ username: 's', key: 'k-2' });
    expect(credentialNames(replaced)).toEqual(['username', 'key']);
    expect(() => keyless.change(CODE, columns, { username: 's', key: 'k-2' })).toThrow(/another SECRETS_KEY/);
  });

  it('can be unsealed only for their own supplier', () => {
    change({ token: 't-1', key: 'k-1' });
    expect(() => credentials.open({ ...columns, code: 'other' })).toThrow(/not where it belongs/);
  });
});
