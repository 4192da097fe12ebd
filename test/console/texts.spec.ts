import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { placeholdersOf, translate, type Messages } from '../../console/src/i18n/translate.js';

const sources = fileURLToPath(new URL('../../console/src', import.meta.url));
const read = (file: string): string => readFileSync(path.join(sources, file), 'utf8');
/** The texts of the shell and of every area. A page may show texts of another area, so each key is unique. */
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
const entriesOf = (language: string) =>
  files
    .filter((file) => file.endsWith(`words.${language}.json`) || file === path.join('i18n', `${language}.json`))
    .toSorted((one, other) => one.localeCompare(other))
    .flatMap((file) => Object.entries(JSON.parse(read(file)) as Messages));
const messagesOf = (language: string): Messages => Object.fromEntries(entriesOf(language));
const en = messagesOf('en');
const th = messagesOf('th');

describe('The texts of the console', () => {
  it('exist in both languages', () => {
    expect(Object.keys(th)).toEqual(Object.keys(en));
  });

  it('have unique keys', () => {
    expect(entriesOf('en')).toHaveLength(Object.keys(en).length);
  });

  it.each(Object.keys(en))('have the same placeholders in both languages: %s', (key) => {
    expect(placeholdersOf(th[key] ?? '')).toEqual(placeholdersOf(en[key] ?? ''));
  });

  it('are all used', () => {
    const code = files
      .filter((file) => /\.tsx?$/.test(file))
      .map(read)
      .join('\n');
    // Some keys end with a code. Then the source has the beginning of the key.
    const made = [...code.matchAll(/`([\w.]+)\.\$\{/g)].map(([, beginning]) => `${beginning}.`);
    const unused = Object.keys(en).filter(
      (key) => !code.includes(`'${key}'`) && !made.some((beginning) => key.startsWith(beginning)),
    );
    expect(unused).toEqual([]);
  });

  it('in English, use the words of the glossary for inquiries, attempts and discrepancies', () => {
    const replaced = /\b(asked|asking|reversals?|said|tells|tried|tries)\b/i;
    const wrong = Object.entries(en).filter(([, text]) => replaced.test(JSON.stringify(text)));
    expect(wrong).toEqual([]);
  });

  /** The counted things. A text with two counts consists of two texts. */
  const THINGS =
    'attempts|calls|characters|deliveries|merchants|months|movements|offers|orders|pieces|prices|products|units|webhooks';
  /** A number that is always in the thousands. */
  const ALWAYS_MANY = ['suppliers.callsAmong', 'suppliers.callsNone'];

  it('in English, have a singular form for each thing that they count', () => {
    const counts = new RegExp(`\\{\\w+\\} (\\w+ )?(${THINGS})\\b`);
    const wrong = Object.entries(en).filter(
      ([key, text]) => typeof text === 'string' && counts.test(text) && !ALWAYS_MANY.includes(key),
    );
    expect(wrong).toEqual([]);
    const oneOfMany = Object.entries(en).filter(([, text]) => typeof text !== 'string' && text.one === undefined);
    expect(oneOfMany).toEqual([]);
  });

  it('choose the form by the count, and write numbers in the way of the language', () => {
    const messages = { units: { one: '{count} unit of {of}', other: '{count} units of {of}' } };
    expect(translate(messages, 'en', 'units', { count: 1, of: 'x' })).toBe('1 unit of x');
    expect(translate(messages, 'en', 'units', { count: 1234, of: 'x' })).toBe('1,234 units of x');
    expect(translate({ units: { other: '{count} หน่วย' } }, 'th', 'units', { count: 1 })).toBe('1 หน่วย');
  });

  it('show a missing text as its key, and a placeholder without a value unchanged', () => {
    expect(translate({}, 'en', 'no.such.key')).toBe('no.such.key');
    expect(translate({ a: 'for {name}' }, 'en', 'a')).toBe('for {name}');
  });
});

describe('The list of keyboard shortcuts', () => {
  it('has each key to which a page listens, and no other', () => {
    const list = /KEYS[^=]+= \[(.+?)\n\];/s.exec(read('shell/shortcut-help.tsx'))?.[1] ?? '';
    const listed = [...list.matchAll(/\[\[(.+?)\], /g)].map(([, keys = '']) => keys.replace(/[', ]/g, ''));
    const shortcuts = read('kit/shortcuts.ts');
    const places = /PLACES = \{(.+?)\}/s.exec(shortcuts)?.[1] ?? '';
    const pages = files
      .filter((file) => file.endsWith('.tsx'))
      .map(read)
      .join('\n');
    const heard = [
      ...[...places.matchAll(/^ {2}(\w): /gm)].map(([, key]) => `g${key}`),
      ...[...shortcuts.matchAll(/event\.key === '(.)'/g)].flatMap(([, key = '']) => (key === 'g' ? [] : [key])),
      ...[...pages.matchAll(/shortcut'?[=:] ?['"](.)['"]/g)].map(([, key]) => key),
      // Of the browser: it follows a link, and closes a dialog.
      'Enter',
      'Esc',
    ];
    expect(new Set(listed)).toEqual(new Set(heard));
  });
});
