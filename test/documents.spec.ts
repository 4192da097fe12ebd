import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The files in a folder with this ending, as paths from the root of the project. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => path.join(folder, file));
}

const DOCUMENTS = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  'test/chaos/README.md',
  'test/ha/README.md',
  'sdk/typescript/README.md',
  ...filesIn('tools/simulators', /README\.md$/),
  ...filesIn('sdk', /README\.md$/),
  ...filesIn('docs', /\.md$/),
].filter((file) => existsSync(path.join(root, file)));
/** All files except this one, which has mistakes on purpose. */
const SOURCES = ['src', 'test', 'tools', 'bench', 'scripts', 'sdk']
  .flatMap((folder) => filesIn(folder, /\.(ts|mjs|js|cjs)$/))
  .filter((file) => file !== 'test/documents.spec.ts');

/** The numbered parts of a document: "4.1" is a section, "8, rule 3" a point of its numbered list. */
function numbersOf(document: string): Set<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of document.split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)*)\.? /.exec(line)?.[1];
    if (heading !== undefined) numbers.add((section = heading));
    const rule = /^(\d+)\. /.exec(line)?.[1];
    if (rule !== undefined) numbers.add(`${section}, rule ${rule}`);
  }
  return numbers;
}

const NUMBERS: Record<string, Set<string>> = {
  specification: numbersOf(read('docs/specification.md')),
  contract: numbersOf(read('docs/contract.md')),
};

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const LIST = `${NUMBER}(?:(?:, | and |, and )${NUMBER})*`;
const CITATION = new RegExp(
  String.raw`\b(specification|contract)(?:[’']s)?,? sections? (${LIST})(?:, rules? (${LIST}))?`,
  'gi',
);

/** The citations in a text: "contract, sections 2 and 3" is two. Comments may be wrapped anywhere. */
function citationsIn(text: string): { document: string; number: string }[] {
  const unwrapped = text.replace(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, ' ');
  return [...unwrapped.matchAll(CITATION)].flatMap(([, document = '', sections = '', rules]) => {
    const numbersIn = (list: string): string[] => list.match(new RegExp(NUMBER, 'g')) ?? [];
    const cited = numbersIn(sections).flatMap((section) =>
      rules === undefined ? [section] : numbersIn(rules).map((rule) => `${section}, rule ${rule}`),
    );
    return cited.map((number) => ({ document: document.toLowerCase(), number }));
  });
}

const missingIn = (text: string): string[] =>
  citationsIn(text)
    .filter(({ document, number }) => !NUMBERS[document]?.has(number))
    .map(({ document, number }) => `${document}, section ${number}`);

/** The anchor that a heading of Markdown gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Links of a document to missing files and headings. */
function deadLinksIn(file: string): string[] {
  const prose = read(file).replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [target = '', anchor] = link.split('#', 2);
      const linked = target === '' ? file : path.join(path.dirname(file), target);
      if (!existsSync(path.join(root, linked))) return true;
      if (anchor === undefined) return false;
      const headings = [...read(linked).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text));
      return !headings.includes(anchor);
    });
}

const problemsIn = (files: string[], find: (file: string) => string[]): string[] =>
  files.flatMap((file) => find(file).map((problem) => `${file}: ${problem}`));

describe('Citations of the specification and the contract', () => {
  it('lead to existing sections', () => {
    expect(problemsIn([...SOURCES, ...DOCUMENTS], (file) => missingIn(read(file)))).toEqual([]);
  });

  it('are found in any notation', () => {
    const wrapped = `/**\n * Why (contract,\n * sections 2, 3 and 77). More: specification, section 4.9,\n */`;
    expect(citationsIn(wrapped)).toHaveLength(4);
    expect(missingIn(wrapped)).toEqual(['contract, section 77', 'specification, section 4.9']);
    expect(missingIn("the contract's section 12; contract, section 8, rules 3 and 9")).toEqual([
      'contract, section 12',
      'contract, section 8, rule 9',
    ]);
    expect(SOURCES.flatMap((file) => citationsIn(read(file))).length).toBeGreaterThan(30);
  });
});

describe('Links between documents', () => {
  it('lead to existing files and headings', () => {
    expect(problemsIn(DOCUMENTS, deadLinksIn)).toEqual([]);
  });
});

describe('The operations manual', () => {
  const manual = read('docs/operations.md');
  const between = (start: string, end: string): string => {
    const [from, to] = [manual.indexOf(start), manual.indexOf(end)];
    expect(from).toBeGreaterThan(-1);
    expect(to).toBeGreaterThan(from);
    return manual.slice(from, to);
  };

  it('starts nothing that buys between a restore and the pause of all suppliers', () => {
    const unpaused = between(' pg_restore ', 'topup supplier pause CODE');
    const started = [...unpaused.matchAll(/^ *docker compose (?:up|start|restart)([^#\n]*)/gm)].map(([, args = '']) =>
      args.split(' ').filter((word) => /^[a-z]/.test(word)),
    );
    expect(started).toEqual([['api']]);
    expect(manual).toMatch(/topup supplier pause CODE [^]+docker compose up -d worker console\n/);
  });

  it('sends no signal in a way after which Docker does not start the service again', () => {
    const examples = [...filesIn('deploy', /\.(sh|conf|cfg|example|ya?ml)$/), ...DOCUMENTS];
    expect(problemsIn(examples, (file) => read(file).match(/docker compose kill -s .*/g) ?? [])).toEqual([]);
  });

  it('keeps merchants out during and after a restore', () => {
    for (const restored of [
      between('To return to the moment', 'systemctl stop'),
      between('## After a restore', ' up -d --wait api'),
    ])
      expect(restored).toContain('docker compose stop nginx');
  });

  it('lets payments of channels book themselves after a restore, before an operator credits wallets', () => {
    const money = between('## After a restore', '## Audit the books').split('topup wallet credit')[0];
    for (const step of [/another `class`/, /importing-statements/, /topup channel sync/, /payments-that-wait/])
      expect(money).toMatch(step);
    expect(money).toContain('](deposits.md#');
  });

  it('has no command that reads a file of the host inside of a container, or as a user that may not read it', () => {
    const wrong = /=@(?!FILE`, run|\/keys\/)|xargs[^\n]* topup|< backups\/|statement import (?!-)|--statement (?!- )/g;
    expect(manual.match(wrong)).toBeNull();
    const withInput = [...manual.matchAll(/^.*topup [^`\n]*(?:=-| - )[^`\n]*/gm)].map(([line]) => line);
    expect(withInput).toHaveLength(7);
    expect(withInput.filter((line) => !/exec -T api topup [^`]+ < \S+/.test(line))).toEqual([]);
  });
});
