import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

// docs/glossary.md has one word for one thing. Names in the code do not go back to the words that it replaced.

const root = fileURLToPath(new URL('../src', import.meta.url));

const REPLACED = 'Desk Story Told told Doings doings Gentle gentle Keeper Pages MOST LEAST LONGEST SHORTEST'.split(' ');

/** Names of schemas in openapi.json, and of migrations in databases. */
const FIXED = /^Desk(Unit|Item|Attempt)Dto$|\d{13}$/;

const DECLARED = /\b(?:class|interface|type|enum|function|const) (\w+)/g;

const wordsOf = (name: string): string[] => name.split(name.includes('_') ? '_' : /(?<=[a-z0-9])(?=[A-Z])/);

const isReplaced = (name: string): boolean =>
  // A limit may be one in the middle: `AWAY_AT_MOST_SECONDS`.
  name.includes('_')
    ? REPLACED.includes(wordsOf(name)[0] ?? '')
    : wordsOf(name).some((word) => REPLACED.includes(word));

const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('migrations'))
  .flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(DECLARED)].map(([, name = '']) => `${file}: ${name}`),
  );

describe('Names in the code', () => {
  it('are found', () => expect(names.length).toBeGreaterThan(3_000));

  it('use no word that the glossary replaced', () => {
    const replaced = names.filter((each) => {
      const name = each.split(': ')[1] ?? '';
      return isReplaced(name) && !FIXED.test(name);
    });
    expect(replaced).toEqual([]);
  });
});
