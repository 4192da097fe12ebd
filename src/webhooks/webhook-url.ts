import { codePoints } from '../core/text.js';

export const MAX_URL_LENGTH = 2048;

// The URL parser silently drops, replaces or refuses these characters. Another parser could read another address from the same text.
// oxlint-disable-next-line no-control-regex
const REPAIRED = /[\u0000-\u0020\u007f-\u009f\\]/;

/** Checks only the text of a URL. @returns the problem, in words that follow the member's name, or null. */
export function urlProblem(text: string): string | null {
  if (!text.isWellFormed() || codePoints(text) > MAX_URL_LENGTH) {
    return `must be an absolute http or https URL of at most ${MAX_URL_LENGTH} characters`;
  }
  if (!/^https?:\/\/[^/\\]/i.test(text) || REPAIRED.test(text) || !URL.canParse(text)) {
    return 'must be an absolute http or https URL';
  }
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?#]/);
  if (authority.includes('@')) return 'must not contain credentials';
  if (text.includes('#')) return 'must not contain a fragment';
  return null;
}
