import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';
import { paletteCss } from '../../src/api-docs/palette.js';
import { layOut, type Assets } from './layout.js';
import { MarkdownReader, type Content } from './markdown.js';
import type { OpenApi } from './openapi-document.js';
import { Reference } from './reference.js';
import { packSdks } from './sdk-packages.js';
import { REFERENCE, siteMap, type PageEntry } from './site-map.js';
import { SYNONYMS } from './synonyms.js';
import { Sources } from './sources.js';

const BROWSER = 'tools/docs-site/browser';

/** The answer to a browser at an address without a page. */
const MISSING: PageEntry = { path: '/404', title: 'No such page', source: null, language: 'en' };
const MISSING_CONTENT: Content = {
  title: MISSING.title,
  html: `<h1>There is no page at this address</h1>
<p>Look for it with the search (<kbd>/</kbd>), or begin at <a href="/">the overview</a>.</p>
<p lang="th">ไม่พบหน้านี้ ลองค้นหา (<kbd>/</kbd>) หรือเริ่มที่<a href="/th/getting-started">เริ่มต้นใช้งาน</a></p>`,
  sections: [],
  summary: 'There is no page at this address.',
};

/**
 * Builds the merchants' documentation from the documents and openapi.json, and packs the libraries beside it.
 * @param root of the project. @param target the folder of the site; its old content is removed.
 */
export async function buildSite(root: string, target: string): Promise<void> {
  const document = JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8')) as OpenApi;
  const reference = new Reference(document);
  const sections = siteMap(reference.tags);
  const pages = sections.flatMap((section) => section.pages);
  const reader = new MarkdownReader(new Sources(root, pages));
  const contents = new Map(pages.map((page) => [page, contentOf(page, reader, reference)]));

  checkSynonyms([...contents]);
  const index = JSON.stringify([...contents].flatMap(([page, content]) => searchEntries(page, content)));
  const files = new Map<string, string>();
  const assets = await addAssets(root, index, files);
  for (const [page, content] of contents) {
    const name = page.path === '/' ? 'index' : page.path.slice(1);
    files.set(`${name}.html`, layOut(page, content, sections, assets));
  }
  files.set('404.html', layOut(MISSING, MISSING_CONTENT, sections, assets));
  rmSync(target, { recursive: true, force: true });
  await Promise.all([...files].map(([name, text]) => writePacked(path.join(target, name), text)));
  mkdirSync(path.join(target, 'sdk'), { recursive: true });
  for (const [name, bytes] of await packSdks(root)) writeFileSync(path.join(target, 'sdk', name), bytes);
}

/** @throws if a heading with other words is not there any more. */
function checkSynonyms(contents: [PageEntry, Content][]): void {
  const known = new Set(
    contents.flatMap(([page, content]) => searchEntries(page, content).map(([address]) => address)),
  );
  const unknown = Object.keys(SYNONYMS).filter((address) => !known.has(address));
  if (unknown.length > 0) throw new Error(`synonyms.ts names headings that no page has: ${unknown.join(', ')}`);
}

function contentOf(page: PageEntry, reader: MarkdownReader, reference: Reference): Content {
  if (page.source !== null) return reader.read(page.source);
  if (page.path === REFERENCE) return reference.introduction();
  if (page.path === `${REFERENCE}/event-payloads`) return reference.events();
  return reference.pageOf(page.title);
}

/** An entry for each heading: address, page, heading, text, other words for it. The search in the browser reads them. */
const searchEntries = ({ path: page }: PageEntry, { title, sections }: Content): string[][] =>
  sections.map(({ anchor, title: heading, text }) => {
    const address = anchor === '' ? page : `${page}#${anchor}`;
    const words = SYNONYMS[address];
    return [address, title, anchor === '' ? '' : heading, text, ...(words === undefined ? [] : [words])];
  });

/** Puts a hash of its content into the name of each file, so that browsers may keep it for ever. */
async function addAssets(root: string, index: string, files: Map<string, string>): Promise<Assets> {
  const add = (name: string, extension: string, text: string): string => {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
    const file = `assets/${name}-${hash}.${extension}`;
    files.set(file, text);
    return `/${file}`;
  };
  const style = (paletteCss() + readFileSync(path.join(root, BROWSER, 'site.css'), 'utf8')).replace(
    /\/\*[\s\S]*?\*\/|\n\s*/g,
    ' ',
  );
  return {
    style: add('site', 'css', style),
    theme: add('theme', 'js', await script(root, 'theme.ts')),
    script: add('site', 'js', await script(root, 'site.ts')),
    searchIndex: add('search', 'json', index),
  };
}

async function script(root: string, name: string): Promise<string> {
  const bundle = await rolldown({
    input: path.join(root, BROWSER, name),
    tsconfig: path.join(root, BROWSER, 'tsconfig.json'),
  });
  const { output } = await bundle.generate({ format: name === 'theme.ts' ? 'iife' : 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}

/** Writes a file, and beside it the same packed as Brotli and gzip. */
async function writePacked(file: string, text: string): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(text, quality));
  writeFileSync(`${file}.gz`, await promisify(gzip)(text, { level: 9 }));
}
