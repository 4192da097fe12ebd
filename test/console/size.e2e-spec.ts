import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
}

const built = fileURLToPath(new URL('../../dist/console', import.meta.url));
const manifest = JSON.parse(readFileSync(path.join(built, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The names of a chunk and of its static imports. */
function reached(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of manifest[name]?.imports ?? []) reached(each, found);
  return found;
}

const chunks = (names: Iterable<string>): Chunk[] =>
  [...names].map((name) => manifest[name]).filter((chunk) => chunk !== undefined);
const scripts = (names: Iterable<string>): string[] => chunks(names).map(({ file }) => file);
const styles = (names: Iterable<string>): string[] => [...new Set(chunks(names).flatMap(({ css }) => css ?? []))];

type Pack = (content: Buffer) => Buffer;
const kibibytes = (files: string[], pack: Pack): number =>
  files.map((file) => pack(readFileSync(path.join(built, file))).length).reduce((sum, each) => sum + each, 0) / 1024;

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? '';
const first = reached(entry);
const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/'));
const login = pages.find((name) => name.includes('login')) ?? '';

describe('The download of a browser', () => {
  it('is at most 180 KiB of scripts at first', () => {
    expect(kibibytes(scripts(first), gzipSync)).toBeLessThanOrEqual(180);
  });

  it('is at most 40 KiB of styles at first', () => {
    expect(kibibytes(styles(first), gzipSync)).toBeLessThanOrEqual(40);
  });

  it.each(pages)('is at most 40 KiB more for %s', (page) => {
    const more = [...reached(page)].filter((name) => !first.has(name));
    expect(kibibytes([...scripts(more), ...styles(more)], gzipSync)).toBeLessThanOrEqual(40);
  });

  it('is at most 230 KiB over the wire for the first view', () => {
    const names = new Set([...first, ...reached(login)]);
    expect(kibibytes([...scripts(names), ...styles(names)], brotliCompressSync)).toBeLessThanOrEqual(230);
  });

  it('is at most 30 KiB for the Thai font, which is no part of the styles', () => {
    const fonts = readdirSync(path.join(built, 'assets')).filter((file) => file.endsWith('.woff2'));
    expect(fonts).toHaveLength(1);
    expect(
      kibibytes(
        fonts.map((file) => path.join('assets', file)),
        (content) => content,
      ),
    ).toBeLessThanOrEqual(30);
  });

  it('has React’s production build with any NODE_ENV of the caller', () => {
    const code = scripts(first).map((file) => readFileSync(path.join(built, file), 'utf8'));
    expect(code.some((text) => text.includes('Download the React DevTools'))).toBe(false);
  });
});
