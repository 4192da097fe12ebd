import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds words that docs/glossary.md replaced. `npm run -s words -- src/cli docs` lists them under these paths;
 * test/glossary.spec.ts fails on them.
 */

type Place = 'names' | 'prose' | 'documents';

interface ReplacedWord {
  word: RegExp;
  places: Place[];
  instead: string;
}

/** Prose is comments and strings of several words; a name is compared word by word: `ToldPurchase` is `told purchase`. */
const EVERYWHERE: Place[] = ['names', 'prose', 'documents'];
const SENTENCES: Place[] = ['prose', 'documents'];

const REPLACED: ReplacedWord[] = [
  { word: /\bdesks?\b/i, places: EVERYWHERE, instead: 'orders, review' },
  { word: /\b(?:story|stories)\b/i, places: EVERYWHERE, instead: 'history; in tests scene' },
  { word: /\btold\b/i, places: EVERYWHERE, instead: 'reported' },
  { word: /\bhearsay\b/i, places: EVERYWHERE, instead: 'unproven report' },
  { word: /\bdoings?\b/i, places: ['names', 'documents'], instead: 'activity' },
  { word: /\bgentle\b/i, places: EVERYWHERE, instead: 'throttled' },
  { word: /\bkeepers?\b/i, places: EVERYWHERE, instead: 'what the class does' },
  { word: /\bpresence\b/i, places: EVERYWHERE, instead: 'heartbeat' },
  { word: /\b(?:take|keep|give|lose)s? turn\b/i, places: ['names'], instead: 'acquire, extend, release a lock' },
  { word: /^(?:MOST|LEAST|LONGEST|SHORTEST) /, places: ['names'], instead: 'MAX_, MIN_' },
  { word: /^[A-Z].* Pages$/, places: ['names'], instead: 'Views' },
  { word: /\bfour.eyes\b/i, places: EVERYWHERE, instead: 'approval' },
  { word: /\b(?:whoever|whomever)\b/i, places: EVERYWHERE, instead: 'the person, process or row' },
  { word: /\bsomebody\b/i, places: EVERYWHERE, instead: 'a person, an operator' },
  { word: /\btakes? effect\b/i, places: SENTENCES, instead: 'applies' },
  { word: /\bis another's\b/i, places: SENTENCES, instead: 'belongs to another …' },
  { word: /\bwhat is of\b/i, places: SENTENCES, instead: 'the thing by its name' },
  { word: /\bha(?:s|ve|d) (?:its|their|his) say\b/i, places: SENTENCES, instead: 'what happens then' },
  // A sentence about a person. A question or a label may begin with it.
  { word: /(?:^|[.:] )Who(?:m|se)? [a-z][^.?]*\.(?= |$)/, places: SENTENCES, instead: 'the person or process' },
];

/** Exceptions that keep such a word, with the reason. */
const EXCEPTIONS: { file: RegExp; text: RegExp; because: string }[] = [
  { file: /^docs\/glossary\.md$|^test\/(?:words|glossary\.spec)\.ts$/, text: /./, because: 'these name the words' },
  { file: /\.(?:ts|tsx)$/, text: /^Desk(?:Unit|Item|Attempt)Dto$/, because: 'schemas in openapi.json' },
  { file: /\.ts$/, text: /^\w+\d{13}$/, because: 'migrations, as databases list them' },
];

export interface Hit {
  file: string;
  line: number;
  text: string;
  instead: string;
}

interface Text {
  place: Place;
  text: string;
  line: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));

const CODE = /\.(?:[cm]?js|tsx?|php)$/;
const DOCUMENT = /\.(?:md|ya?ml|sh|conf|toml|svg)$|(?:^|\/)(?:Dockerfile|\.env\.example)$/;
const STRINGS = /\.en\.json$|\/en\.json$/;
const GENERATED = /schema\.(?:d\.)?ts$|package-lock\.json$|pnpm-lock/;

const COMMENT = String.raw`(?<comment>\/\*[^]*?\*\/|\/\/[^\n]*(?:\n *\/\/[^\n]*)*)`;
const STRING = String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\`(?:\\.|[^\`\\])*\`)`;
const TOKEN = new RegExp(String.raw`${COMMENT}|${STRING}|(?<name>[A-Za-z_$][\w$]*)`, 'g');

/** Statements keep the names of their columns and aliases. */
const isSql = (text: string): boolean =>
  /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|CREATE|ALTER|AND|AS)\b/.test(text);

/** Columns and members of JSON are fixed: `told_at`. */
const isFixedName = (name: string): boolean => /^[a-z0-9]+_[a-z0-9_]+$/.test(name);

const wordsOf = (name: string): string => name.split(name.includes('_') ? '_' : /(?<=[a-z0-9])(?=[A-Z])/).join(' ');

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const proseOf = (comment: string): string => comment.replaceAll(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm, '');

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function textsOfCode(source: string): Text[] {
  return [...source.matchAll(TOKEN)].flatMap(({ groups = {}, index }): Text[] => {
    const line = lineOf(source, index);
    const { comment, string, name } = groups;
    if (comment !== undefined) return [{ place: 'prose', text: inOneLine(proseOf(comment)), line }];
    if (string !== undefined) {
      const isSentence = string.includes(' ') && !isSql(string);
      return isSentence ? [{ place: 'prose', text: inOneLine(string.slice(1, -1)), line }] : [];
    }
    return name === undefined || isFixedName(name) ? [] : [{ place: 'names', text: name, line }];
  });
}

/** The paragraphs, cells and list items, without code. */
function textsOfDocument(source: string): Text[] {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');
  const prose = source.replaceAll(/^( *)```[^]*?^\1```$/gm, blank).replaceAll(/`[^`\n]+`/g, blank);
  return [...prose.matchAll(/(?:[^|\n]+(?:\n(?! *(?:[-*#|]|\d+\.|\n)))?)+/g)].map(({ 0: text, index }) => ({
    place: 'documents',
    text: inOneLine(text.replaceAll(/^[\s#*-]+/gm, ' ')),
    line: lineOf(prose, index),
  }));
}

function textsOfStrings(source: string): Text[] {
  return [...source.matchAll(/^ *"[^"]+": "(.*)",?$/gm)].map(({ 1: text = '', index }) => ({
    place: 'prose',
    text,
    line: lineOf(source, index),
  }));
}

function textsOf(file: string): Text[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  if (CODE.test(file)) return textsOfCode(source);
  return STRINGS.test(file) ? textsOfStrings(source) : textsOfDocument(source);
}

const isRead = (file: string): boolean =>
  (CODE.test(file) || DOCUMENT.test(file) || STRINGS.test(file)) && !GENERATED.test(file);

function hitsIn(file: string): Hit[] {
  const exceptions = EXCEPTIONS.filter((each) => each.file.test(file));
  return textsOf(file).flatMap(({ place, text, line }) => {
    if (exceptions.some((each) => each.text.test(text))) return [];
    const compared = place === 'names' ? wordsOf(text) : text;
    return REPLACED.filter(({ word, places }) => places.includes(place) && word.test(compared)).map(
      ({ word, instead }) => {
        const at = word.exec(compared)?.index ?? 0;
        return {
          file,
          line,
          text: place === 'names' ? text : `… ${text.slice(Math.max(0, at - 30), at + 50)} …`,
          instead,
        };
      },
    );
  });
}

/** The files of the repository under these paths; without a path, all files. */
export function findReplacedWords(paths: string[] = []): { files: number; hits: Hit[] } {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter(isRead);
  return { files: files.length, hits: files.flatMap(hitsIn) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { hits } = findReplacedWords(process.argv.slice(2));
  for (const { file, line, text, instead } of hits) console.log(`${file}:${line}  ${text}  → ${instead}`);
  console.log(`${hits.length} words that docs/glossary.md replaced`);
}
