import { escape } from './html.js';
import type { Content, PageSection } from './markdown.js';
import type { Language, PageEntry, Section } from './site-map.js';

/** Addresses of the files that every page loads. */
export interface Assets {
  style: string;
  theme: string;
  script: string;
  searchIndex: string;
}

const SITE_NAME = 'Order Top-up API';

const WORDS: Readonly<
  Record<Language, Record<'skip' | 'search' | 'menu' | 'contents' | 'previous' | 'next' | 'theme' | 'other', string>>
> = {
  en: {
    skip: 'Skip to the content',
    search: 'Search',
    menu: 'Menu',
    contents: 'On this page',
    previous: 'Previous',
    next: 'Next',
    theme: 'Light or dark',
    other: 'ภาษาไทย',
  },
  th: {
    skip: 'ข้ามไปยังเนื้อหา',
    search: 'ค้นหา',
    menu: 'เมนู',
    contents: 'ในหน้านี้',
    previous: 'ก่อนหน้า',
    next: 'ถัดไป',
    theme: 'สว่างหรือมืด',
    other: 'English',
  },
};

const otherOf = (language: Language): Language => (language === 'en' ? 'th' : 'en');

/** Puts the frame around the content: top bar, navigation, contents, links to the previous and the next page. */
export function layOut(page: PageEntry, content: Content, sections: readonly Section[], assets: Assets): string {
  const words = WORDS[page.language];
  const isHome = page.path === '/';
  return `<!doctype html>
<html lang="${page.language}">
<head>
${head(page, content, assets)}
</head>
<body>
<a class="skip" href="#content">${words.skip}</a>
${bar(page)}
<div class="frame">
<details class="menu"><summary>${words.menu}</summary>${navigation(page, sections)}</details>
<div class="side">${navigation(page, sections)}</div>
<main id="content" tabindex="-1"${isHome ? ' class="home"' : ''}>
<article>
${content.html}
</article>
${wayOn(page, sections)}
</main>
${contents(page, content.sections)}
</div>
</body>
</html>
`;
}

function head(page: PageEntry, { title, summary }: Content, assets: Assets): string {
  const { translation, language } = page;
  const alternates =
    translation === undefined
      ? []
      : [
          [language, page.path],
          [otherOf(language), translation],
        ];
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(page.path === '/' ? title : `${title} · ${SITE_NAME}`)}</title>`,
    `<meta name="description" content="${escape(summary.slice(0, 200))}">`,
    '<link rel="icon" href="data:,">',
    ...alternates.map(([lang, path]) => `<link rel="alternate" hreflang="${lang}" href="${path}">`),
    `<link rel="stylesheet" href="${assets.style}">`,
    // Runs before the page is drawn, so that no page flashes in the other colours.
    `<script src="${assets.theme}"></script>`,
    `<script src="${assets.script}" type="module" data-index="${assets.searchIndex}"></script>`,
  ].join('\n');
}

function bar({ language, translation }: PageEntry): string {
  const words = WORDS[language];
  const other = otherOf(language);
  const change =
    translation === undefined ? '' : `<a lang="${other}" hreflang="${other}" href="${translation}">${words.other}</a>`;
  return `<header class="bar">
<a class="brand" href="/">${LOGO}<span>${SITE_NAME}</span></a>
<button class="search" type="button" data-search hidden aria-keyshortcuts="/"><span>${words.search}</span><kbd>/</kbd></button>
<nav class="links" aria-label="Site">${change}<a class="wide" href="/reference">API</a><a class="wide" href="/docs">Swagger UI</a><button type="button" data-theme-switch hidden aria-label="${words.theme}">${MOON}</button></nav>
</header>`;
}

function navigation({ path }: PageEntry, sections: readonly Section[]): string {
  const groups = sections.map(({ title, language, pages }) => {
    const links = pages.map(
      (page) =>
        `<li><a href="${page.path}"${page.path === path ? ' aria-current="page"' : ''}>${escape(page.title)}</a></li>`,
    );
    const lang = language === 'en' ? '' : ` lang="${language}"`;
    return `<li${lang}><span>${escape(title)}</span><ul>${links.join('')}</ul></li>`;
  });
  return `<nav aria-label="Pages" lang="en"><ul>${groups.join('')}</ul></nav>`;
}

/** The list of headings, for pages with more than one. */
function contents({ language }: PageEntry, sections: readonly PageSection[]): string {
  const shown = sections.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '<div class="contents"></div>';
  const links = shown.map(({ anchor, title }) => `<li><a href="#${escape(anchor)}">${escape(title)}</a></li>`);
  const name = WORDS[language].contents;
  return `<nav class="contents" aria-label="${name}"><span>${name}</span><ul>${links.join('')}</ul></nav>`;
}

/** Links to the previous and the next page in the same language. */
function wayOn(page: PageEntry, sections: readonly Section[]): string {
  const pages = sections.flatMap((section) => section.pages).filter((each) => each.language === page.language);
  const at = pages.indexOf(page);
  if (at < 0) return '';
  const words = WORDS[page.language];
  const link = (to: PageEntry | undefined, word: string, kind: string): string =>
    to ? `<a class="${kind}" href="${to.path}"><span>${word}</span>${escape(to.title)}</a>` : '';
  return `<nav class="way" aria-label="${words.previous}, ${words.next}">${link(pages[at - 1], words.previous, 'previous')}${link(pages[at + 1], words.next, 'next')}</nav>`;
}

const LOGO =
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path d="M12 6v12M6.5 11.5 12 6l5.5 5.5" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>';
const MOON =
  '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/></svg>';
