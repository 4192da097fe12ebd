import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageEntry } from './site-map.js';
import { REFERENCE } from './site-map.js';

/** Reads the files behind the pages, and finds the page of a file. */
export class Sources {
  private readonly pages: ReadonlyMap<string, string>;

  constructor(
    readonly root: string,
    pages: readonly PageEntry[],
  ) {
    const made = pages.flatMap(({ source, path: to }) => (source === null ? [] : [[source, to] as const]));
    this.pages = new Map([...made, ['openapi.json', REFERENCE]]);
  }

  read(file: string): string {
    return readFileSync(path.join(this.root, file), 'utf8');
  }

  /** The path of a linked file, from the project's root. The file may not exist. */
  resolve(link: string, from: string): string {
    return path.join(path.dirname(from), link);
  }

  /** The page of a file; null if the site has none, as for operators' documents. */
  pageOf(file: string): string | null {
    return this.pages.get(file) ?? null;
  }
}
