import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';

/** The directory into which `npm run build` writes the site. */
export const BUILT = path.join(projectRoot, 'dist', 'site');

const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).map((name) => name.split(path.sep).join('/'));

export const readBuilt = (name: string): string => readFileSync(path.join(BUILT, name), 'utf8');

/** The HTML of every page, by its address. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  files
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .map((name) => [name === 'index.html' ? '/' : `/${name.replace(/\.html$/, '')}`, readBuilt(name)]),
);

/** All addresses that the site itself answers. */
export const ADDRESSES: ReadonlySet<string> = new Set([
  ...PAGES.keys(),
  ...files.filter((name) => name.startsWith('assets/')).map((name) => `/${name}`),
]);

export const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

export const pageAt = (address: string): string => {
  const html = PAGES.get(address);
  if (html === undefined) throw new Error(`the site has no page ${address}`);
  return html;
};
