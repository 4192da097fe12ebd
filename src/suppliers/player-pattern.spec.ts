import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitsPattern, readPattern } from './player-pattern.js';

describe('a player pattern', () => {
  it.each([
    ['/^[0-9]{5,12} [0-9]{1,7}$/', ['12345 1', '123456789012 1234567'], ['1234 1', '12345', '12345  1', '12345 1 ']],
    ['/^[0-9]{9,10} [A-Z]{2}$/', ['800000000 AS'], ['800000000 as', '800000000 ASI']],
    ['^\\d+$', ['0', '007'], ['', ' 7', '7a']],
    ['^(asia|europe)-\\w{2,}$', ['asia-x1', 'europe-__'], ['africa-x1', 'asia-x']],
    ['^(?:ab)*c?$', ['', 'abab', 'ababc'], ['aba', 'cc']],
    ['^[^\\s|]+\\|[a-c.-]$', ['x y'.replace(' ', '') + '|b', 'z|.', 'z|-'], ['x y|b', 'x|d']],
    ['^.{2}$', ['ก1', '💎x'], ['x']],
    ['^a|b$', ['a1', '1b'], ['1a', 'b1']],
    ['^[0-9A-Za-z]{1,257}$', ['a'.repeat(257)], ['', 'a'.repeat(258)]],
    ['^\\p{Thai}+\\$$', ['กขค$'], ['กขค', 'abc$']],
    ['^(?<server>a+?)-\\bx$', ['aa-x'], ['aa-y']],
  ])('%s is applied', (pattern, players, others) => {
    const kept = readPattern(pattern);
    expect(kept).not.toBeNull();
    for (const player of players) expect([player, fitsPattern(kept ?? '', player)]).toEqual([player, true]);
    for (const player of others) expect([player, fitsPattern(kept ?? '', player)]).toEqual([player, false]);
  });

  it.each([
    undefined,
    '',
    '//',
    '[0-9]+',
    '^[0-9]+',
    '^a$b',
    '^a\\$',
    '^(a$',
    '^a)$',
    '^[a$',
    '^a{9999}$',
    '^a**$',
    '^(?=a)b$',
    '^(?!a)b$',
    '^(?<=a)b$',
    '^(a)\\1$',
    '/^a$/i',
    `^${'a'.repeat(300)}$`,
    '^[z-a]$',
    '^(a{0,1000}){0,1000}b$',
    '^((\\d?){100}){100}$',
    '^((\\d?){1000}){1000}$',
    '^((((\\d?){1000}){1000}){1000}){1000}$',
    `^${'(\\d?){1000}'.repeat(18)}$`,
    `^((${'\\d?'.repeat(60)}){10}){100}$`,
  ])('%j is refused, because RE2 cannot read it', (pattern) => {
    expect(readPattern(pattern)).toBeNull();
  });

  it('that can’t be read excludes no player', () => {
    expect(fitsPattern('^(?=a)b$', 'anybody')).toBe(true);
  });

  it.each(['^(a*)*b$', '^((a+)+)+b$', '^(a|a)*b$', '^a*a*a*a*a*a*a*a*a*a*b$', '^(a?){50}b$', '^(a{9}){9}b$'])(
    '%s takes steps by the length of the player only, however they are tried',
    (pattern) => {
      expect(readPattern(pattern)).toBe(pattern);
      expect(fitsPattern(pattern, 'a'.repeat(257))).toBe(false);
    },
  );

  it('has the same meaning as in JavaScript', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '.', '(a|bb)', '(ab?)', '-');
    const nested = fc.constantFrom('(a?){2}', '((ab)?){3}', '(b*){2}', '((a?){2}){2}', '((b*){2}|a){3}');
    const count = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{0,}');
    const part = fc.oneof({ weight: 4, arbitrary: fc.tuple(atom, count) }, fc.tuple(nested));
    const pattern = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `^${parts.flat().join('')}$`);
    const player = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), maxLength: 9 });
    fc.assert(
      fc.property(pattern, player, (text, candidate) => {
        // Nested counts of groups may make it too large.
        const isKept = readPattern(text) === text;
        if (!text.includes('){')) expect(isKept).toBe(true);
        if (isKept) expect(fitsPattern(text, candidate)).toBe(new RegExp(text).test(candidate));
      }),
      { numRuns: 2_000 },
    );
  });

  it('repeats a group that may be empty', () => {
    const inner = fc.constantFrom('a?', 'b*', '(ab)?', '(a|b)?', '(a?b?)');
    const player = fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 9 });
    fc.assert(
      fc.property(inner, fc.constantFrom(9, 25), player, (repeated, times, candidate) => {
        const pattern = readPattern(`^(${repeated}){${times}}1?$`);
        expect(pattern).not.toBeNull();
        // JavaScript would try all ways to divide the text among the repetitions.
        expect(fitsPattern(pattern ?? '', candidate)).toBe(new RegExp(`^(${repeated})*1?$`).test(candidate));
      }),
    );
  });
});
