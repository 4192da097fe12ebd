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

interface PageRoute {
  /** The name of the route above it. */
  parent: string;
  /** The module of its page, without the extension. */
  page: string;
  areas: string[];
}

describe('The texts of a page', () => {
  const areaOf = new Map(
    files
      .filter((file) => file.endsWith('words.en.json'))
      .flatMap((file) => {
        const area = path.basename(path.dirname(file));
        return Object.keys(JSON.parse(read(file)) as Messages).map((key) => [key, area] as const);
      }),
  );
  const partOf = (code: string, pattern: RegExp): string => pattern.exec(code)?.[1] ?? '';
  const toRoute = (code: string): [name: string, route: PageRoute] => [
    partOf(code, /^(\w+)/),
    {
      parent: partOf(code, /getParentRoute: \(\) => (\w+)/),
      page: partOf(code, /import\('\.\.\/(pages\/[^']+)'\)/),
      areas: partOf(code, /inArea\((.+?), \(\) =>/).match(/\w+/g) ?? [],
    },
  ];
  const routes = new Map(
    files
      .filter((file) => path.dirname(file) === 'routes')
      .flatMap((file) => read(file).split('export const ').slice(1))
      .map(toRoute),
  );
  /** The areas that a route and the routes above it load. */
  const areasOf = (name: string): string[] => {
    const route = routes.get(name);
    return route ? [...route.areas, ...areasOf(route.parent)] : [];
  };
  /** A module and all modules that load with it. A part that loads later may be one that this page never shows. */
  const modulesOf = (file: string, found = new Set<string>()): Set<string> => {
    found.add(file);
    for (const [, from = ''] of read(file).matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm)) {
      const base = path.join(path.dirname(file), from);
      const source = [`${base}.ts`, `${base}.tsx`].find((each) => files.includes(each));
      if (source !== undefined && !found.has(source)) modulesOf(source, found);
    }
    return found;
  };
  const keysIn = (code: string): string[] =>
    [...code.matchAll(/\bt\(([^()]*)/g)].flatMap(([, sent = '']) => sent.match(/(?<=')[\w.]+(?=')/g) ?? []);

  it('load with its route, because a page shows the key of a missing text', () => {
    const pages = [...routes].filter(([, { page }]) => page !== '');
    expect(pages.length).toBeGreaterThan(40);
    const missing = pages.flatMap(([name, { page }]) => {
      const loaded = areasOf(name);
      return [...modulesOf(`${page}.tsx`)]
        .flatMap((file) => keysIn(read(file)))
        .filter((key) => areaOf.has(key) && !loaded.includes(areaOf.get(key) ?? ''))
        .map((key) => `${name}: ${key}`);
    });
    expect(missing).toEqual([]);
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
