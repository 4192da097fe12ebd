import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { fitsPattern, readPattern } from './player-pattern.js';

describe('a player pattern', () => {
  it.each([
    [
      '/^[0-9]{5,12} [0-9]{1,7}$/',
      ['12345 1', '123456789012 1234567'],
      ['1234 1', '12345', '12345  1', '12345 1 '],
    ],
    ['/^[0-9]{9,10} [A-Z]{2}$/', ['800000000 AS'], ['800000000 as', '800000000 ASI']],
    ['^\\d+$', ['0', '007'], ['', ' 7', '7a']],
    ['^(asia|europe)-\\w{2,}$', ['asia-x1', 'europe-__'], ['africa-x1', 'asia-x']],
    ['^(?:ab)*c?$', ['', 'abab', 'ababc'], ['aba', 'cc']],
    ['^[^\\s|]+\\|[a-c.-]$', ['x y'.replace(' ', '') + '|b', 'z|.', 'z|-'], ['x y|b', 'x|d']],
    ['^.{2}$', ['ก1', '💎x'], ['x']],
  ])('%s is followed', (pattern, players, others) => {
    const kept = readPattern(pattern);
    expect(kept).not.toBeNull();
    for (const player of players) expect([player, fitsPattern(kept ?? '', player)]).toEqual([player, true]);
    for (const player of others) expect([player, fitsPattern(kept ?? '', player)]).toEqual([player, false]);
  });

  it.each([
    ...[
      undefined,
      '',
      '//',
      '[0-9]+',
      '^[0-9]+',
      '^a$b',
      '^a|b$',
      '^(a$',
      '^a)$',
      '^[a$',
      '^a{2$',
      '^a{9999}$',
    ],
    ...[
      '^a**$',
      '^a+?$',
      '^(?=a)b$',
      '^(a)\\1$',
      '^\\bx$',
      '^\\p{L}$',
      '^*$',
      '/^a$/i',
      `^${'a'.repeat(300)}$`,
    ],
    ...['^[z-a]$', '^((((((a))))))$', '^(?<n>a)$'],
  ])('%j is not kept, because more is needed to read it', (pattern) => {
    expect(readPattern(pattern)).toBeNull();
  });

  it('that can’t be read excludes nobody', () => {
    expect(fitsPattern('^(?=a)b$', 'anybody')).toBe(true);
  });

  it.each(['^(a*)*b$', '^((a+)+)+b$', '^(a|a)*b$', '^a*a*a*a*a*a*a*a*a*a*b$', '^(a{0,1000}){0,1000}b$'])(
    '%s is no more work than any other',
    (pattern) => {
      // Each place that is looked at is put into a set.
      const places = jest.spyOn(Set.prototype, 'add');
      try {
        expect(fitsPattern(pattern, 'a'.repeat(257))).toBe(false);
        expect(places.mock.calls.length).toBeLessThan(10_000);
      } finally {
        places.mockRestore();
      }
    },
  );

  it('means what JavaScript takes it for', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '.', '(a|bb)', '(ab?)', '-');
    const count = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{0,}');
    const pattern = fc
      .array(fc.tuple(atom, count), { minLength: 1, maxLength: 5 })
      .map((parts) => `^${parts.flat().join('')}$`);
    const player = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), maxLength: 9 });
    fc.assert(
      fc.property(pattern, player, (text, candidate) => {
        expect(readPattern(text)).toBe(text);
        expect(fitsPattern(text, candidate)).toBe(new RegExp(text).test(candidate));
      }),
      { numRuns: 2_000 },
    );
  });
});
