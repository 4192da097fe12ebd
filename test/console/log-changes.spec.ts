import { describe, expect, it } from '@jest/globals';
import { changesOf, inLine } from '../../console/src/pages/log/changes.js';

describe('The detail of an entry of the log', () => {
  it('shows the old and the new value of each member, changed members first', () => {
    expect(changesOf({ sku: 'A', price: '36.00', before: { sku: 'A', price: '35.00' } })).toEqual([
      { name: 'price', after: '36.00', before: '35.00' },
      { name: 'sku', after: 'A' },
    ]);
    expect(changesOf({ operator: 'a@b.c', role: 'finance', role_before: 'support' })).toEqual([
      { name: 'role', after: 'finance', before: 'support' },
      { name: 'operator', after: 'a@b.c' },
    ]);
  });

  it('takes a plain old value as that of the only member', () => {
    expect(changesOf({ below: null, before: '500.00' })).toEqual([{ name: 'below', after: null, before: '500.00' }]);
  });

  it('shows no old value of a new member, and shows `before` as a member if it cannot assign it', () => {
    expect(changesOf({ sku: 'A', before: null })).toEqual([{ name: 'sku', after: 'A' }]);
    expect(changesOf({})).toEqual([]);
    expect(changesOf({ one: 1, two: 2, before: 'x' })).toEqual([
      { name: 'one', after: 1 },
      { name: 'two', after: 2 },
      { name: 'before', after: 'x' },
    ]);
    expect(changesOf({ sku: 'A', before: { sku: 'A', gone: 'x' } })).toEqual([
      { name: 'gone', after: undefined, before: 'x' },
      { name: 'sku', after: 'A' },
    ]);
  });

  it('fits into a line unless a value has members', () => {
    expect([null, '', 7, true, 'x', ['a', 'b'], []].map(inLine)).toEqual(['–', '–', '7', 'true', 'x', 'a, b', '–']);
    expect(inLine({ a: 1 })).toBeNull();
    expect(inLine([{ a: 1 }])).toBeNull();
  });
});
