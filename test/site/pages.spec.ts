import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ADDRESSES, attributes, pageAt, PAGES, readBuilt } from './built-site.js';

/** The addresses that the API serves beside the site. */
const BESIDE = new Set(['/docs', '/docs-json']);
const addresses = [...PAGES.keys()];

/** The target of a link on a page. */
function targetOf(link: string, from: string): { address: string; anchor: string } {
  const { pathname, hash } = new URL(link, `http://site${from}`);
  return { address: pathname, anchor: decodeURIComponent(hash.slice(1)) };
}

const isDead = (link: string, from: string): boolean => {
  const { address, anchor } = targetOf(link, from);
  if (BESIDE.has(address)) return false;
  if (!ADDRESSES.has(address)) return true;
  return anchor !== '' && !attributes(pageAt(address), 'id').includes(anchor);
};

/** The links of a page within the site, and the files that it loads. */
const linksOf = (html: string): string[] =>
  [...attributes(html, 'href'), ...attributes(html, 'src'), ...attributes(html, 'data-index')].filter(
    (link) => !/^(https?|data):/.test(link),
  );

describe('The pages of the documentation', () => {
  it('exist for merchants, in English and some in Thai', () => {
    expect(addresses).toEqual(
      expect.arrayContaining([
        '/',
        '/getting-started',
        '/concepts',
        '/sandbox',
        '/guides/webhooks',
        '/reference/orders',
        '/reference/error-codes',
        '/reference/failure-codes',
        '/changelog',
        '/versioning',
        '/th/getting-started',
        '/th/guides/webhooks',
      ]),
    );
    // The site has no documents for operators.
    expect(addresses.filter((address) => /operations|cli|suppliers|console|metrics/.test(address))).toEqual([]);
    for (const [address, html] of PAGES) {
      const language = address.startsWith('/th/') ? 'th' : 'en';
      expect([address, html.slice(0, 40)]).toEqual([address, expect.stringContaining(`<html lang="${language}">`)]);
    }
  });

  it('have only working links, also to headings', () => {
    const dead = [...PAGES].flatMap(([address, html]) =>
      linksOf(html)
        .filter((link) => isDead(link, address))
        .map((link) => `${address}: ${link}`),
    );
    expect(dead).toEqual([]);
    expect(isDead('/concepts#no-such-heading', '/')).toBe(true);
    expect(isDead('no-such-page', '/guides/orders')).toBe(true);
  });

  it('are all in the navigation of each page, which marks the current one', () => {
    for (const [address, html] of PAGES) {
      const [, navigation = ''] = /<div class="side">([\s\S]*?)<\/div>/.exec(html) ?? [];
      expect([address, attributes(navigation, 'href').sort()]).toEqual([address, [...addresses].sort()]);
      expect([address, /href="([^"]+)" aria-current="page"/.exec(navigation)?.[1]]).toEqual([address, address]);
    }
  });

  it('lead from one language to the other, and back', () => {
    const inBoth = addresses.filter((address) => address.startsWith('/th/'));
    for (const address of inBoth) {
      const english = address.slice('/th'.length);
      expect(pageAt(address)).toContain(`<link rel="alternate" hreflang="en" href="${english}">`);
      expect(pageAt(english)).toContain(`<link rel="alternate" hreflang="th" href="${address}">`);
    }
    expect(inBoth).toHaveLength(2);
  });

  it('load nothing from other hosts, and nothing that the content security policy would refuse', () => {
    for (const [address, html] of PAGES) {
      const loaded = [...attributes(html, 'src'), ...[...html.matchAll(/<link[^>]+href="([^"]+)"/g)].map((m) => m[1])];
      expect([address, loaded.filter((each) => /^(https?:)?\/\//.test(each ?? ''))]).toEqual([address, []]);
      expect([address, html.match(/ style="| on[a-z]+="|<style|<script>|javascript:/g)]).toEqual([address, null]);
    }
  });

  it('are at most 60 KiB each, with their styles and scripts, compressed', () => {
    const packed = (text: string): number => gzipSync(text).length / 1024;
    const sizes = [...PAGES].map(([address, html]) => {
      const assets = linksOf(html).filter((link) => /^\/assets\/.*\.(css|js)$/.test(link));
      expect(assets).toHaveLength(3);
      const all = [html, ...assets.map((asset) => readBuilt(asset.slice(1)))];
      return { address, kibibytes: all.map(packed).reduce((sum, each) => sum + each, 0) };
    });
    expect(sizes.filter(({ kibibytes }) => kibibytes > 60)).toEqual([]);
    // The browser loads the index when a reader searches.
    const [index = ''] = attributes(pageAt('/'), 'data-index');
    expect(packed(readBuilt(index.slice(1)))).toBeLessThanOrEqual(60);
  });

  it('have assets whose names change with their content', () => {
    for (const asset of [...ADDRESSES].filter((address) => /\.(css|js|json)$/.test(address))) {
      const hash = createHash('sha256')
        .update(readBuilt(asset.slice(1)))
        .digest('hex');
      expect(asset).toContain(`-${hash.slice(0, 10)}.`);
    }
  });

  it('leave out text that is for operators only', () => {
    expect(pageAt('/sandbox')).not.toContain('For operators');
    expect(pageAt('/changelog')).not.toMatch(/For operators|Upgrading/);
    expect(pageAt('/contract')).toContain('5. ');
    expect(pageAt('/contract')).not.toContain('wallet credit --merchant');
  });
});
