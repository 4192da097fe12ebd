import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../src', import.meta.url));

/** Kinds of classes. A file has the name of its class: `unit-dispatcher.ts` or, for a kind of Nest, `orders.service.ts`. */
const NEST_KINDS = [
  'Service',
  'Repository',
  'Controller',
  'Guard',
  'Pipe',
  'Filter',
  'Middleware',
  'Processor',
  'Observer',
];
const ENGINE_KINDS = [
  'Cache',
  'Caller',
  'Database',
  'Dispatcher',
  'Notifier',
  'Provider',
  'Recorder',
  'Registry',
  'Runner',
  'Sender',
  'Server',
  'Store',
  'Sweeper',
  'Verifier',
];

/** Classes of values that tests replace, which have no kind. */
const VALUES = ['AttemptTiming'];

const INJECTABLE = /^@(Injectable|Controller|Catch|ConsoleController)\([^]*?^export (abstract )?class (\w+)/gm;

const kebab = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();

/** The name of a class's file, by its kind; null for a class without a kind. */
function fileOf(name: string): RegExp | null {
  const nest = NEST_KINDS.find((kind) => name.endsWith(kind));
  if (nest) return new RegExp(`\\.${nest.toLowerCase()}\\.ts$`);
  return ENGINE_KINDS.some((kind) => name.endsWith(kind)) ? new RegExp(`(^|/)${kebab(name)}\\.ts$`) : null;
}

const classes = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(INJECTABLE)].map(([, , , name]) => [file, name as string]),
  )
  .filter(([, name]) => !VALUES.includes(name as string)) as [file: string, name: string][];

describe('The classes that Nest provides', () => {
  it('are found', () => expect(classes.length).toBeGreaterThan(200));

  it('have their kind in their name and in the name of their file', () => {
    const without = classes.filter(([file, name]) => !fileOf(name)?.test(file));
    expect(without).toEqual([]);
  });
});
