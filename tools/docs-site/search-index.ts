import type { Content } from './markdown.js';
import type { PageEntry } from './site-map.js';

/** What the search of the site reads: an entry for each heading, as `[address, page, heading, text]`. */
export type SearchEntry = readonly [address: string, page: string, heading: string, text: string];

export const searchEntries = (page: PageEntry, { title, sections }: Content): SearchEntry[] =>
  sections.map(({ anchor, title: heading, text }) => [
    anchor === '' ? page.path : `${page.path}#${anchor}`,
    title,
    anchor === '' ? '' : heading,
    text,
  ]);
