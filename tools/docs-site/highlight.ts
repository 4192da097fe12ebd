import { createRequire } from 'node:module';
import { escape } from './html.js';

interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string }): { value: string };
}

// The package's own types would add the browser's types to the whole project.
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

/** The name of a block's language for readers; empty if it has none. */
export const languageName = (language: string): string => NAMES[nameIn(language)] ?? '';

/** Marks the parts of code with classes; returns plain text for an unknown language. */
export function highlight(code: string, language: string): string {
  const name = nameIn(language);
  return highlighter.getLanguage(name) ? highlighter.highlight(code, { language: name }).value : escape(code);
}
