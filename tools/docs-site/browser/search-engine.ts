/** As `build.ts` writes it: address, page, heading, text, other words that readers look for. */
export type Entry = readonly [address: string, page: string, heading: string, text: string, synonyms?: string];

export interface Found {
  entry: Entry;
  /** The text around the first match; its beginning when only the heading matches. */
  excerpt: { words: string; isMatch: boolean }[];
}

const EXCERPT_LENGTH = 140;
const BEFORE_MATCH = 40;
const SCORES = { exactHeading: 40, heading: 12, synonym: 10, page: 8, text: 1 };

/**
 * Returns the entries that contain all words of a query, best first. Parts of words match, because Thai has no spaces between
 * words, and codes are long.
 */
export function find(entries: readonly Entry[], query: string): Found[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry[3], words) }));
}

function scoreOf([, page, heading, text, synonyms = '']: Entry, words: readonly string[]): number {
  const title = (heading === '' ? page : heading).toLowerCase();
  const [above, below] = [page.toLowerCase(), text.toLowerCase()];
  const scores = words.map(
    (word) =>
      (title.includes(word) ? SCORES.heading : 0) +
      (synonyms.includes(word) ? SCORES.synonym : 0) +
      (heading === '' && above.includes(word) ? SCORES.page : 0) +
      (heading !== '' && above.includes(word) ? 1 : 0) +
      (below.includes(word) ? SCORES.text : 0),
  );
  if (scores.includes(0)) return 0;
  const isExact = title === words.join(' ');
  return scores.reduce((sum, each) => sum + each, isExact ? SCORES.exactHeading : 0);
}

function excerptOf(text: string, words: readonly string[]): Found['excerpt'] {
  const at = Math.max(
    0,
    Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((each) => each >= 0)),
  );
  const begin = Number.isFinite(at) && at > BEFORE_MATCH ? text.indexOf(' ', at - BEFORE_MATCH) + 1 : 0;
  const end = text.length <= begin + EXCERPT_LENGTH ? text.length : text.lastIndexOf(' ', begin + EXCERPT_LENGTH);
  const shown = text.slice(begin, end > begin ? end : begin + EXCERPT_LENGTH);
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi');
  const parts = `${begin > 0 ? '… ' : ''}${shown}${begin + shown.length < text.length ? ' …' : ''}`.split(pattern);
  return parts.map((part, index) => ({ words: part, isMatch: index % 2 === 1 })).filter((part) => part.words !== '');
}
