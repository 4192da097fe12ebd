export type Language = 'en' | 'th';

/** A page of the site. */
export interface PageEntry {
  /** Its path on the site, such as `/guides/webhooks`. */
  path: string;
  title: string;
  /** The page's Markdown file, from the project's root; null for pages made from openapi.json. */
  source: string | null;
  language: Language;
  /** The path of the same page in the other language. */
  translation?: string;
}

export interface Section {
  title: string;
  language: Language;
  pages: readonly PageEntry[];
}

const page = (path: string, title: string, source: string | null, translation?: string): PageEntry => ({
  path,
  title,
  source,
  language: 'en',
  ...(translation === undefined ? {} : { translation }),
});

const thai = (path: string, title: string, source: string, translation: string): PageEntry => ({
  ...page(path, title, source, translation),
  language: 'th',
});

/** The first page of the reference, which is made from openapi.json. */
export const REFERENCE = '/reference';

/**
 * Every page of the site, in the order of the navigation. Documents for operators are not on it.
 * @param tags of openapi.json; each has a reference page.
 */
export function siteMap(tags: readonly string[]): Section[] {
  const reference = [
    page(REFERENCE, 'Introduction', null),
    ...tags.map((tag) => page(`${REFERENCE}/${tag.toLowerCase()}`, tag, null)),
    page(`${REFERENCE}/event-payloads`, 'Event payloads', null),
    page(`${REFERENCE}/error-codes`, 'Error codes', 'docs/merchants/error-codes.md'),
    page(`${REFERENCE}/failure-codes`, 'Failure codes', 'docs/failure-codes.md'),
  ];
  const sections: [string, PageEntry[]][] = [
    [
      'Start here',
      [
        page('/', 'Overview', 'docs/merchants/README.md'),
        page('/getting-started', 'Getting started', 'docs/merchants/getting-started.md', '/th/getting-started'),
        page('/concepts', 'Concepts', 'docs/merchants/concepts.md'),
        page('/sandbox', 'The sandbox', 'docs/sandbox.md'),
      ],
    ],
    [
      'Guides',
      [
        page('/guides/orders', 'Orders', 'docs/merchants/orders.md'),
        page('/guides/deposits', 'Deposits', 'docs/merchants/deposits.md'),
        page('/guides/webhooks', 'Webhooks', 'docs/webhooks.md', '/th/guides/webhooks'),
        page('/guides/errors-and-retries', 'Errors and retries', 'docs/merchants/errors-and-retries.md'),
        page('/guides/going-live', 'Going live', 'docs/merchants/going-live.md'),
      ],
    ],
    [
      'Libraries',
      [page('/sdk/typescript', 'TypeScript', 'sdk/typescript/README.md'), page('/sdk/php', 'PHP', 'sdk/php/README.md')],
    ],
    ['API reference', reference],
    [
      'What we promise',
      [
        page('/specification', 'Specification', 'docs/specification.md'),
        page('/contract', 'Contract', 'docs/contract.md'),
        page('/versioning', 'Versioning', 'docs/versioning.md'),
        page('/changelog', 'Changelog', 'CHANGELOG.md'),
      ],
    ],
  ];
  const inThai = [
    thai('/th/getting-started', 'เริ่มต้นใช้งาน', 'docs/merchants/th/getting-started.md', '/getting-started'),
    thai('/th/guides/webhooks', 'เว็บฮุก', 'docs/merchants/th/webhooks.md', '/guides/webhooks'),
  ];
  return [
    ...sections.map(([title, pages]) => ({ title, language: 'en' as const, pages })),
    { title: 'ภาษาไทย', language: 'th', pages: inThai },
  ];
}
