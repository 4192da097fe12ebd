import { highlight, languageName } from './highlight.js';
import { escape } from './html.js';

/** A block of code. Keyboards can scroll it, so it needs a name. @param title above it, by default the language. */
export function codeBlock(code: string, language: string, title = languageName(language)): string {
  const heading = title === '' ? '' : `<figcaption>${escape(title)}</figcaption>`;
  return `<figure class="code">${heading}${pre(code, language, title)}</figure>\n`;
}

const pre = (code: string, language: string, title: string): string =>
  `<pre tabindex="0" role="group" aria-label="${escape(title === '' ? 'Code' : title)}"><code>${highlight(code, language)}</code></pre>`;

export interface Sample {
  title: string;
  language: string;
  code: string;
}

/** The same code in several languages, one below the other. The page's script turns them into tabs. */
export function codeTabs(samples: readonly Sample[]): string {
  const panels = samples.map(({ title, language, code }) => `<div>${codeBlock(code, language, title)}</div>`);
  return `<div class="tabs">${panels.join('')}</div>\n`;
}
