import { describe, expect, it } from '@jest/globals';
import { find, type Entry } from '../../tools/docs-site/browser/search-engine.js';
import { attributes, pageAt, PAGES, readBuilt } from './built-site.js';

const [file = ''] = attributes(pageAt('/'), 'data-index');
const entries = JSON.parse(readBuilt(file.slice(1))) as Entry[];

const firstFor = (query: string): string | undefined => find(entries, query)[0]?.entry[0];

describe('The search of the documentation', () => {
  it.each([
    ['OUT_OF_STOCK', '/reference/failure-codes#out_of_stock'],
    ['duplicate_reference', '/reference/error-codes#duplicate_reference'],
    ['create an order', '/reference/orders#create-an-order'],
    ['retries', '/guides/webhooks#retries'],
    ['getting started', '/getting-started'],
    ['sim-partial', '/sandbox#how-an-order-ends'],
    ['การส่งซ้ำ', '/th/guides/webhooks#การส่งซ้ำ'],
    // Words that the documents do not use.
    ['order stuck', '/concepts#states'],
    ['double charge', '/concepts#idempotency'],
    ['ip whitelist', '/guides/going-live#keys'],
    ['empty wallet', '/concepts#the-wallet'],
    ['เติมเงิน', '/concepts#the-wallet'],
    ['หักเงินซ้ำ', '/concepts#idempotency'],
    ['ออเดอร์ค้าง', '/concepts#states'],
    ['signature', '/guides/webhooks#verifying'],
    ['rate limit', '/guides/errors-and-retries#limits'],
    ['zone id', '/guides/orders#the-players-ids'],
    ['ลายเซ็น', '/th/guides/webhooks#การตรวจลายเซ็น'],
  ])('finds the explanation of %s', (query, address) => {
    expect(firstFor(query)).toBe(address);
  });

  it('finds only sections with every word, and nothing without words', () => {
    expect(find(entries, 'webhook no-such-word-anywhere')).toEqual([]);
    expect(find(entries, '   ')).toEqual([]);
    // Special characters of patterns are plain text here.
    expect(() => find(entries, '[*(')).not.toThrow();
  });

  it('shows the words with the text around them', () => {
    const text = `${'before '.repeat(20)}the needle ${'after '.repeat(40)}`;
    const [found] = find([['/page', 'Page', 'Heading', text]], 'NEEDLE');
    const parts = found?.excerpt ?? [];
    expect(parts.filter(({ isMatch }) => isMatch)).toEqual([{ words: 'needle', isMatch: true }]);
    expect(parts.map(({ words }) => words).join('')).toMatch(/^… .*the needle after .* …$/);
  });

  it('finds every page', () => {
    const known = new Set(entries.map(([address]) => address.split('#')[0]));
    expect(known).toEqual(new Set(PAGES.keys()));
  });
});
