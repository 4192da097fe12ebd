import type { Token } from 'marked';

/** Paragraphs and headings of the changelog that introduce a part for operators. */
const FOR_OPERATORS = /^(for operators:|upgrading)$/i;
const BEGIN = /^<!-- operators -->\s*$/;
const END = /^<!-- \/operators -->\s*$/;

/**
 * Removes the parts for operators: text between `<!-- operators -->` and `<!-- /operators -->`, and text after a paragraph
 * "For operators:" or a heading "Upgrading", up to the next paragraph or heading.
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
