import type { Token } from 'marked';

/** In a list that only operators need; the changelog has them. */
const FOR_OPERATORS = /^(for operators:|upgrading)$/i;
const BEGIN = /^<!-- operators -->\s*$/;
const END = /^<!-- \/operators -->\s*$/;

/**
 * Leaves out what is for operators only: what stands between `<!-- operators -->` and `<!-- /operators -->`, and what a
 * paragraph "For operators:" or a heading "Upgrading" introduces, up to the next of its kind.
 */
export function forMerchants(tokens: readonly Token[]): Token[] {
  let isMarked = false;
  let isIntroduced = false;
  return tokens.filter((token) => {
    const text = 'text' in token ? String(token.text).trim() : '';
    if (token.type === 'html' && BEGIN.test(token.raw)) isMarked = true;
    if (token.type === 'heading' || token.type === 'paragraph') isIntroduced = FOR_OPERATORS.test(text);
    const isLeftOut = isMarked || isIntroduced;
    if (token.type === 'html' && END.test(token.raw)) isMarked = false;
    return !isLeftOut;
  });
}
