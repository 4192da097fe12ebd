import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serviceVersion } from '../src/core/project-root.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const readJson = <Shape>(file: string): Shape => JSON.parse(read(file)) as Shape;

/** The type of the scripts' exports, which have no types. */
const { isSupported } = (await import(pathToFileURL(path.join(root, 'scripts/prepare.mjs')).href)) as {
  isSupported: (version: string, engines?: string) => boolean;
};

/** Folders that programs make, and that are not in the repository. */
const GENERATED = ['node_modules', 'dist', 'coverage'];

/** The folders in a folder, with their names in the README. */
const foldersIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !GENERATED.includes(entry.name))
    .map(({ name }) => path.posix.join(folder, name))
    .sort();

/** The first cells of the rows of the README's tables. */
const rows = [...read('README.md').matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map(([, name = '']) => name);

describe('The README', () => {
  it('has a row for each folder', () => {
    expect(rows.filter((name) => !name.includes('/')).sort()).toEqual(foldersIn('.'));
  });

  it('has a row for each folder of src', () => {
    expect(rows.filter((name) => name.startsWith('src/')).sort()).toEqual(foldersIn('src'));
  });

  it('has the rooms of src in their order, the highest first', () => {
    const [storeys = ''] = /const STOREYS = {[^]+?};/.exec(read('.dependency-cruiser.cjs')) ?? [];
    const rooms = [...storeys.matchAll(/'([a-z-]+)'/g)].map(([, room = '']) => `src/${room}`);
    expect(rows.filter((name) => name.startsWith('src/'))).toEqual(rooms.reverse());
  });
});

describe('Architecture decisions', () => {
  const pages = readdirSync(path.join(root, 'docs/adr'))
    .filter((file) => file !== 'README.md')
    .sort();

  it('have a number each, and a row in their list', () => {
    expect(pages.map((file) => file.slice(0, 4))).toEqual(pages.map((_, index) => String(index + 1).padStart(4, '0')));
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[\d+\]\((.+?)\)/gm)].map(([, file]) => file);
    expect(listed).toEqual(pages);
  });

  it('have the situation, the decision, its consequences and the reasons that would change it', () => {
    for (const file of pages) {
      const headings = [...read(`docs/adr/${file}`).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect([file, headings]).toEqual([file, ['Context', 'Decision', 'Consequences', 'What would change it']]);
    }
  });
});

describe('The version', () => {
  const version = serviceVersion();

  it('is the newest one of the changelog, with a date', () => {
    const [unreleased, newest] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(unreleased).toBe('[Unreleased]');
    expect(newest).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
    expect(newest?.startsWith(`[${version}] `)).toBe(true);
  });

  it('is the same in the lock file and in the examples', () => {
    const locked = readJson<{ version: string; packages: Record<string, { version?: string }> }>('package-lock.json');
    expect([locked.version, locked.packages['']?.version]).toEqual([version, version]);
    expect(read('deploy/kubernetes/example/kustomization.yaml')).toContain(`newTag: ${version}\n`);
    const tags = read('docs/kubernetes.md').match(/order-topup-service:\d[\d.]*/g) ?? [];
    expect([...new Set(tags)]).toEqual([`order-topup-service:${version}`]);
  });
});

describe('Node.js for developers', () => {
  const wanted = read('.nvmrc').trim();

  it('is a version that the service and its tools allow', () => {
    const enginesOf = (file: string): string => readJson<{ engines: { node: string } }>(file).engines.node;
    for (const file of ['package.json', 'tools/dev/package.json'])
      expect([file, isSupported(wanted, enginesOf(file))]).toEqual([file, true]);
    expect(isSupported('24.10.0')).toBe(false);
  });

  it('is of the same line in the image and in the dev container', () => {
    const lineOf = (file: string): string | undefined => /^FROM node:(\d+)/m.exec(read(file))?.[1];
    const [line] = wanted.split('.');
    expect([lineOf('Dockerfile'), lineOf('.devcontainer/Dockerfile')]).toEqual([line, line]);
  });
});
