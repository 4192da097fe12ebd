import { describe, expect, it } from '@jest/globals';
import { allSnippets, blocksOf, MERCHANT_DOCUMENTS, problemsOf, readDocument, snippetsOf } from './blocks.js';

const fenced = (info: string, code = 'x'): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

describe('the code in the documents of merchants', () => {
  it.each(MERCHANT_DOCUMENTS)('has in %s a known use in the tests', (file) => {
    expect(problemsOf(readDocument(file), file)).toEqual([]);
  });

  it('is in all five languages, and nearly all of it runs', () => {
    const snippets = allSnippets();
    const run = snippets.filter(({ use }) => use !== 'not-run');
    expect(new Set(run.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'php', 'python', 'go']));
    // Only code that installs something or never ends does not run. Its fence has the reason.
    const installs = /^(npm|npx|composer|docker|git|pip|php artisan) |npx order-topup-sdk listen/m;
    const rest = snippets.filter(({ use, code }) => use === 'not-run' && !installs.test(code));
    expect(rest.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });

  it.each([
    ['without a language', fenced('')],
    ['in a language that nobody runs', fenced('ruby')],
    ['with a use that there is not', fenced('sh sometimes')],
    ['that is not run for no reason', fenced('sh not-run')],
    ['that is indented', `1. one\n\n   ${fenced('sh').replaceAll('\n', '\n   ')}`],
    ['behind another kind of fence', '~~~sh\nx\n~~~\n'],
    ['that never ends', '```sh\nx\n'],
  ])('cannot be %s', (_what, text) => {
    expect(problemsOf(text, 'page.md')).not.toEqual([]);
  });

  it('is found with its line, and with the code that it continues', () => {
    const text = `one\n${fenced('python', 'a = 1')}two\n${fenced('json answer', '{}')}${fenced('python continued', 'b = a')}`;
    expect(blocksOf(text, 'page.md').map(({ line }) => line)).toEqual([2, 6, 9]);
    expect(snippetsOf(text, 'page.md').map(({ code, use }) => [code, use])).toEqual([
      ['a = 1\n', 'run'],
      ['a = 1\n\nb = a\n', 'run'],
    ]);
  });
});
