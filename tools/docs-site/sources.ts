import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageEntry } from './site-map.js';
import { REFERENCE } from './site-map.js';

/** The files of the project that pages are made of, and which page is made of which. */
export class Sources {
  private readonly pages: ReadonlyMap<string, string>;

  constructor(
    readonly root: string,
    pages: readonly PageEntry[],
  ) {
    const made = pages.flatMap(({ source, path: to }) => (source === null ? [] : [[source, to] as const]));
    this.pages = new Map([...made, ['openapi.json', REFERENCE]]);
  }

  /** @throws when there is no such file. */
  read(file: string): string {
    return readFileSync(path.join(this.root, file), 'utf8');
  }

  /** The file that a link in another one names, from the root of the project; whether it is there is not asked. */
  resolve(link: string, from: string): string {
    return path.join(path.dirname(from), link);
  }

  /** The page that is made of a file; null where the site has none, as for what is for operators. */
  pageOf(file: string): string | null {
    return this.pages.get(file) ?? null;
  }
}
