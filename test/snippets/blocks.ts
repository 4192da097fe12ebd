import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';

export type Language = 'sh' | 'ts' | 'php' | 'python' | 'go';

/**
 * How the tests use code. They run it, also code that is `refused`, which the API must refuse. They start a `receiver`, and
 * send it webhooks, also with the `sender`.
 */
export type Use = 'run' | 'refused' | 'receiver' | 'sender' | 'not-run';

/** Code of a document, fenced as ```` ```language [title] [use] ````. */
export interface Block {
  file: string;
  /** The line of its fence, from 1. */
  line: number;
  language: string;
  /** The words after the language, and after its title, if any. */
  info: string;
  code: string;
}

export interface Snippet extends Block {
  language: Language;
  use: Use;
}

const LANGUAGES: Record<string, Language> = {
  sh: 'sh',
  bash: 'sh',
  ts: 'ts',
  typescript: 'ts',
  php: 'php',
  python: 'python',
  py: 'python',
  go: 'go',
};
/** Blocks that are not code. `json answer` shows members of the answer to the previous snippet. */
const DATA = ['json', 'http', 'text'];

/** The title of a tab, which the site shows for the same code in several languages. It is before the use. */
const TITLE = /^(?:curl|TypeScript|PHP|Python|Go)(?: |$)/;
const INFO = /^(?:|receiver|sender|refused|continued|not-run: \S.+)$/;

/** Every document with code for merchants. */
export const MERCHANT_DOCUMENTS: string[] = [
  'README.md',
  'sdk/typescript/README.md',
  'sdk/php/README.md',
  ...['contract', 'failure-codes', 'sandbox', 'simulator', 'specification', 'versioning', 'webhooks'].map(
    (name) => `docs/${name}.md`,
  ),
  ...readdirSync(path.join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.startsWith(`merchants${path.sep}`) && file.endsWith('.md'))
    .map((file) => path.join('docs', file))
    .sort(),
];

export const readDocument = (file: string): string => readFileSync(path.join(projectRoot, file), 'utf8');

const FENCE = /^```([\w-]*) *(.*)\n([^]*?)^```$/gm;

/** All fenced blocks of a text, code or not. */
export function blocksOf(text: string, file: string): Block[] {
  return [...text.matchAll(FENCE)].map(({ index, 1: language = '', 2: info = '', 3: code = '' }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    language,
    info: info.replace(TITLE, ''),
    code,
  }));
}

/** Problems of the fences of a document: those whose use is unknown. */
export function problemsOf(text: string, file: string): string[] {
  const blocks = blocksOf(text, file);
  const fences = text.split('\n').filter((line) => /^\s*(```|~~~)/.test(line)).length;
  const problems = blocks.flatMap(({ line, language, info }) => {
    const isData = DATA.includes(language) && ['', 'answer'].includes(info);
    const isCode = LANGUAGES[language] !== undefined && INFO.test(info);
    return isData || isCode
      ? []
      : [`${file}:${line}: \`\`\`${language} ${info} is none of ${[...Object.keys(LANGUAGES), ...DATA].join()}`];
  });
  if (fences !== 2 * blocks.length)
    problems.push(`${file}: a fence is indented, not closed, or made of ~~~: its code would never be run`);
  return problems;
}

/** The code of a document. Each block begins with the blocks that it continues. */
export function snippetsOf(text: string, file: string): Snippet[] {
  const snippets: Snippet[] = [];
  for (const block of blocksOf(text, file)) {
    const language = LANGUAGES[block.language];
    if (language === undefined) continue;
    const before = snippets.findLast((each) => each.language === language);
    const isContinued = block.info === 'continued';
    const code = isContinued ? `${before?.code ?? ''}\n${block.code}` : block.code;
    const use = isContinued || block.info === '' ? 'run' : (block.info.split(':')[0] as Use);
    snippets.push({ ...block, language, use, code });
  }
  return snippets;
}

export const allSnippets = (): Snippet[] => MERCHANT_DOCUMENTS.flatMap((file) => snippetsOf(readDocument(file), file));

/** The answers that a document shows after a snippet, by the line of that snippet. */
export function answersShownIn(text: string, file: string): Map<number, unknown> {
  const shown = new Map<number, unknown>();
  let line = 0;
  for (const block of blocksOf(text, file)) {
    if (LANGUAGES[block.language] !== undefined) line = block.line;
    else if (block.info === 'answer') shown.set(line, JSON.parse(block.code));
  }
  return shown;
}
