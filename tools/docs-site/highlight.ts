import { createRequire } from 'node:module';
import { escape } from './html.js';

/** What we use of highlight.js. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string }): { value: string };
}

// Its own types would bring those of a browser into the whole project.
const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/core') as Highlighter;

const LANGUAGES = ['bash', 'go', 'http', 'json', 'php', 'php-template', 'python', 'typescript', 'xml'];
for (const name of LANGUAGES) highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));

const ALIASES: Readonly<Record<string, string>> = {
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  js: 'typescript',
};
const NAMES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  go: 'Go',
  http: 'HTTP',
  json: 'JSON',
  php: 'PHP',
  python: 'Python',
  typescript: 'TypeScript',
};

const nameIn = (language: string): string => ALIASES[language] ?? language;

/** What people call the language of a fenced block; empty where it has none. */
export const languageName = (language: string): string => NAMES[nameIn(language)] ?? '';

/** Code with its parts marked by classes; plain where the language is none of ours. */
export function highlight(code: string, language: string): string {
  const name = nameIn(language);
  return highlighter.getLanguage(name) ? highlighter.highlight(code, { language: name }).value : escape(code);
}
