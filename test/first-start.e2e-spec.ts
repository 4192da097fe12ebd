import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';
import { keptPort } from './support/kept-port.js';
import { fetchServed } from './support/until-served.js';

/** Warnings of the API and of the worker that only a busy machine causes. */
const TELLS_OF_A_BUSY_MACHINE =
  /waiting for PostgreSQL|Redis can’t be used|database metrics could not be read|a supplier does not report|claim expired/;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'topup-first-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the first npm start', () => {
  /** A copy of this checkout without its builds, with the packages that are installed here. */
  function freshCheckout(): string {
    const checkout = path.join(directory, 'checkout');
    const folders = ['src', 'tools', 'scripts', 'docs', 'sdk', 'console'];
    for (const name of [
      ...folders,
      'package.json',
      'package-lock.json',
      'ormconfig.ts',
      'openapi.json',
      'CHANGELOG.md',
    ])
      cpSync(path.join(projectRoot, name), path.join(checkout, name), { recursive: true });
    symlinkSync(path.join(projectRoot, 'node_modules'), path.join(checkout, 'node_modules'));
    return checkout;
  }

  it('is ready before its pages are built, and goes on if one of them cannot be built', async () => {
    const checkout = freshCheckout();
    writeFileSync(path.join(checkout, 'console', 'index.html'), '<script type="module" src="/src/gone.tsx"></script>');
    const names = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'NODE_ENV', 'NODE_OPTIONS', 'TOPUP_DATA_DIR'];
    const given = Object.entries(process.env).filter(([name]) => !names.includes(name));
    const ports = { PORT: `${await keptPort()}`, MANAGEMENT_PORT: '0', CONSOLE_PORT: `${await keptPort()}` };
    const child = spawn(process.execPath, [path.join(checkout, 'scripts', 'start.mjs')], {
      env: { ...Object.fromEntries(given), ...ports },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const ended = once(child, 'close');
    // Compiling and building take minutes on a busy machine: only the test's own limit ends a wait.
    const says = async (text: string): Promise<void> => {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended: ${output}`);
        await sleep(50);
      }
    };
    const found = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? `nothing like ${String(pattern)}`;
    const page = async (url: string): Promise<[number, string]> => {
      const response = await fetch(url, { headers: { accept: 'text/html' } });
      return [response.status, await response.text()];
    };
    try {
      await says('Ctrl-C stops everything');
      expect(output).toMatch(/^Compiled the service in \d+ s$/m);
      const warnings = output.split('\n').filter((line) => /EBADENGINE|warn/i.test(line));
      expect(warnings.filter((line) => !TELLS_OF_A_BUSY_MACHINE.test(line))).toEqual([]);
      const [documentation, console] = [found(/Documentation +(\S+)/), found(/Console +(\S+)/)];
      await says('The service runs without these pages');
      expect(output).toContain('Building the console failed');
      expect(await page(console)).toEqual([503, expect.stringContaining('http-equiv="refresh"')]);
      expect(output).toMatch(/^Built the documentation in \d+ s$/m);
      expect(await page(documentation)).toEqual([200, expect.stringContaining('<nav')]);
      expect((await fetchServed(`${documentation}readyz`)).status).toBe(200);
    } finally {
      child.kill('SIGINT');
      await ended;
    }
    expect(child.exitCode).toBe(0);
    expect(existsSync(path.join(checkout, 'dist', 'console'))).toBe(false);
  }, 900_000);
});

describe('the installed packages', () => {
  const locked = {
    '': { dependencies: { runs: '1' }, devDependencies: { builds: '1' } },
    pages: { devDependencies: { shows: '1' } },
    'node_modules/of-pages': { resolved: 'pages', link: true },
    'node_modules/runs': { version: '1.0.0', integrity: 'a', dependencies: { below: '1' } },
    'node_modules/runs/node_modules/below': { version: '1.0.0', integrity: 'b' },
    'node_modules/below': { version: '2.0.0', integrity: 'c' },
    'node_modules/builds': {
      version: '1.0.0',
      integrity: 'd',
      optionalDependencies: { elsewhere: '1' },
      peerDependencies: { shows: '1' },
      peerDependenciesMeta: { shows: { optional: true } },
    },
    'node_modules/elsewhere': { version: '1.0.0', integrity: 'e', optional: true },
    'node_modules/shows': { version: '1.0.0', integrity: 'f', dependencies: { below: '2' } },
  };
  type Places = Record<string, object>;
  const ofService = ['node_modules/runs', 'node_modules/runs/node_modules/below', 'node_modules/builds'];
  const ofPages = [...ofService, 'node_modules/below', 'node_modules/shows', 'node_modules/of-pages', 'pages'];
  const taken = (places: string[]): Places =>
    Object.fromEntries(places.map((place) => [place, (locked as Places)[place] ?? {}]));

  async function isInstalled(workspaces: string[] | undefined, installed: Places): Promise<boolean> {
    mkdirSync(path.join(directory, 'node_modules'), { recursive: true });
    const write = (name: string, packages: Places): void =>
      writeFileSync(path.join(directory, name), JSON.stringify({ packages }));
    write('package-lock.json', locked);
    write('node_modules/.package-lock.json', installed);
    const script = pathToFileURL(path.join(projectRoot, 'scripts', 'installed.mjs')).href;
    const module = (await import(script)) as {
      isInstalled: (workspaces?: string[], root?: string) => boolean;
    };
    return module.isInstalled(workspaces, directory);
  }

  it.each([
    ['the service alone', taken(ofService), [true, false, false]],
    ['the pages too', taken(ofPages), [true, true, true]],
    [
      'a package of another version',
      { ...taken(ofPages), 'node_modules/shows': { version: '0.9.0' } },
      [false, false, false],
    ],
    [
      'one that is not locked any more',
      { ...taken(ofPages), 'node_modules/old': { version: '1.0.0' } },
      [false, false, false],
    ],
    ['the service without what is below', taken(ofService.toSpliced(1, 1)), [false, false, false]],
    ['nothing', {}, [false, false, false]],
  ])('is compared for a purpose: %s', async (_, installed, expected) => {
    expect([
      await isInstalled([], installed),
      await isInstalled(['pages'], installed),
      await isInstalled(undefined, installed),
    ]).toEqual(expected);
  });
});
