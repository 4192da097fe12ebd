import path from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { forMerchants } from './audience.js';
import { codeBlock, codeTabs, type Sample } from './code-view.js';
import { withTables } from './generated-tables.js';
import { anchorOf, escape, textOf } from './html.js';
import type { Sources } from './sources.js';

/** One heading with its text. The search finds it, and the list beside a page shows it. */
export interface PageSection {
  /** The heading's anchor; empty for the text between title and first heading. */
  anchor: string;
  title: string;
  depth: number;
  /** Without code. */
  text: string;
}

/** A page without the frame around it. */
export interface Content {
  title: string;
  html: string;
  sections: PageSection[];
  /** The first paragraph, as text. */
  summary: string;
}

/** Turns Markdown of the project into pages. */
export class MarkdownReader {
  constructor(private readonly sources: Sources) {}

  read(file: string): Content {
    const reading = new Reading(file, this.sources);
    return reading.content();
  }
}

/** For Markdown without links to files, such as descriptions in openapi.json. */
export const markdownText = (text: string): string => new Marked().parse(text, { async: false }).trim();
export const markdownInline = (text: string): string => new Marked().parseInline(text, { async: false });

/** Title of a link that becomes the code under the heading it names: `[words](file.md#heading "include")`, alone in a paragraph. */
const INCLUDE = 'include';

/** A table row whose first cell is a code, such as `OUT_OF_STOCK`. */
const CODE_ROW = /<tr>(\s*<td><code>([A-Z][A-Z_]+)<\/code><\/td>[\s\S]*?)<\/tr>/g;

class Reading {
  private readonly marked = new Marked({ gfm: true });
  private readonly anchors = new Map<string, number>();
  private readonly rows: PageSection[] = [];
  private readonly sections: PageSection[] = [{ anchor: '', title: '', depth: 1, text: '' }];

  constructor(
    private readonly file: string,
    private readonly sources: Sources,
  ) {
    this.marked.use({
      renderer: {
        link: (token) => this.link(token),
        image: (token) => this.image(token),
        code: ({ text, lang }) => codeBlock(text, languageOf(lang)),
        html: ({ raw }) => (raw.startsWith('<!--') ? '' : raw),
      },
    });
  }

  content(): Content {
    const tokens = forMerchants(this.marked.lexer(withTables(this.sources.read(this.file))));
    const html = this.blocks(tokens);
    const [first] = this.sections;
    const opening = tokens.find(({ type }) => type === 'paragraph');
    return {
      title: first?.title ?? '',
      html,
      sections: [...this.sections, ...this.rows],
      summary: opening ? textOf(this.parse([opening])) : '',
    };
  }

  private blocks(tokens: readonly Token[]): string {
    const parts: string[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as Token;
      const group = tabsFrom(tokens, at);
      if (group.samples.length > 1) {
        parts.push(codeTabs(group.samples));
        at = group.last;
      } else parts.push(this.block(token));
    }
    return parts.join('');
  }

  private block(token: Token): string {
    if (token.type === 'heading') return this.heading(token as Tokens.Heading);
    const included = includeIn(token);
    if (included) return this.include(included);
    const html = this.parse([token]);
    if (token.type === 'code') return html;
    this.addText(textOf(html));
    return token.type === 'table' ? this.table(html) : html;
  }

  /** Gives each row of a table of codes an anchor and an entry in the search. */
  private table(html: string): string {
    const named = html.replaceAll('<th></th>', '<td></td>');
    const rows = named.replace(CODE_ROW, (_, row: string, code: string) => {
      const anchor = this.unique(anchorOf(code));
      this.rows.push({ anchor, title: code, depth: 3, text: textOf(row) });
      return `<tr id="${anchor}">${row}</tr>`;
    });
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${rows}</div>\n`;
  }

  private heading({ depth, tokens, text }: Tokens.Heading): string {
    const html = this.parseInline(tokens);
    const title = textOf(html);
    if (depth === 1) {
      const [first] = this.sections;
      if (first) first.title = title;
      return `<h1>${html}</h1>\n`;
    }
    const anchor = this.unique(anchorOf(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')));
    this.sections.push({ anchor, title, depth, text: '' });
    return `<h${depth} id="${escape(anchor)}"><a class="anchor" href="#${escape(anchor)}">${html}</a></h${depth}>\n`;
  }

  private parse(tokens: Token[]): string {
    return this.marked.Parser.parse(tokens, this.marked.defaults);
  }

  private parseInline(tokens: Token[]): string {
    return this.marked.Parser.parseInline(tokens, this.marked.defaults);
  }

  private unique(anchor: string): string {
    const count = this.anchors.get(anchor) ?? 0;
    this.anchors.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }

  private addText(text: string): void {
    const section = this.sections.at(-1);
    if (section) section.text = `${section.text} ${text}`.trim();
  }

  /** The code blocks under a heading of another file. */
  private include({ href }: Tokens.Link): string {
    const [target = '', anchor = ''] = href.split('#', 2);
    const file = this.sources.resolve(target, this.file);
    const tokens = this.marked.lexer(withTables(this.sources.read(file)));
    const begin = tokens.findIndex((token) => token.type === 'heading' && anchorOf(headingText(token)) === anchor);
    if (begin < 0) throw new Error(`${this.file} includes ${href}, which is not there`);
    const rest = tokens.slice(begin + 1);
    const end = rest.findIndex(({ type }) => type === 'heading');
    const under = (end < 0 ? rest : rest.slice(0, end)).filter(({ type }) => type === 'code');
    return new Reading(file, this.sources).blocks(under);
  }

  private link({ href, tokens }: Tokens.Link): string {
    const html = this.parseInline(tokens);
    if (/^[a-z]+:/.test(href)) return `<a href="${escape(href)}" rel="noreferrer">${html}</a>`;
    const [target = '', anchor] = href.split('#', 2);
    const at = anchor === undefined ? '' : `#${anchor}`;
    if (target === '') return `<a href="${escape(at)}">${html}</a>`;
    const page = this.sources.pageOf(this.sources.resolve(target, this.file));
    // Documents for operators have no page on the site: keep the words without a link.
    return page === null ? html : `<a href="${escape(page + at)}">${html}</a>`;
  }

  /** Drawings become part of the page, so that they take its colours and screen readers can read them. */
  private image({ href, text }: Tokens.Image): string {
    if (path.extname(href) !== '.svg') throw new Error(`${this.file}: only drawings can be shown, not ${href}`);
    const svg = this.sources.read(this.sources.resolve(href, this.file));
    return `<span class="drawing" tabindex="0" role="group" aria-label="${escape(text)}">${svg}</span>`;
  }
}

const headingText = (token: Token): string => ('text' in token ? String(token.text) : '');
const languageOf = (info = ''): string => info.split(/\s+/, 1)[0] ?? '';

function includeIn(token: Token): Tokens.Link | null {
  if (token.type !== 'paragraph') return null;
  const [only, ...others] = (token as Tokens.Paragraph).tokens;
  const isLink = only?.type === 'link' && others.length === 0 && (only as Tokens.Link).title === INCLUDE;
  return isLink ? (only as Tokens.Link) : null;
}

/** The title behind the language of a fence. Further words are for the tests that run the code. */
const TITLE = /^(\S+) (curl|TypeScript|PHP|Python|Go)(?: |$)/;

/** Finds consecutive code blocks with titles: the same code in several languages. */
function tabsFrom(tokens: readonly Token[], begin: number): { samples: Sample[]; last: number } {
  const samples: Sample[] = [];
  let last = begin;
  for (let at = begin; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.type === 'space') continue;
    const [, language = '', title] = TITLE.exec((token as Tokens.Code).lang ?? '') ?? [];
    if (token.type !== 'code' || title === undefined) break;
    samples.push({ title, language, code: (token as Tokens.Code).text });
    last = at;
  }
  return { samples, last };
}
