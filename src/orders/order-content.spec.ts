import { describe, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { contentHash, toContent, type OrderContent } from './order-content.js';

const text = fc.string({
  minLength: 1,
  maxLength: 5,
  unit: fc.constantFrom('a', 'b', '"', ',', '[', '\\', 'é'),
});
const content: fc.Arbitrary<OrderContent> = fc.record({
  userId: text,
  serverId: fc.option(text),
  characterId: fc.option(text),
  lines: fc.array(fc.record({ sku: text, quantity: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  metadata: fc.option(fc.dictionary(text, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true })),
});

describe('the content of an order', () => {
  it('has the same hash exactly if all its members are the same', () => {
    fc.assert(
      fc.property(content, content, (one, other) => {
        const same = isDeepStrictEqual(one, other);
        expect(contentHash(one).equals(contentHash(other))).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same with a default sent or left out', () => {
    const base = { reference_id: 'r', user_id: 'u' };
    const spelled = { ...base, server_id: null, character_id: null, items: [{ sku: 'A', quantity: 1 }] };
    const short = { ...base, items: [{ sku: 'A' }] };
    const nulled = { ...base, items: [{ sku: 'A', quantity: null }] };
    expect(contentHash(toContent(short))).toEqual(contentHash(toContent(spelled)));
    expect(contentHash(toContent(nulled))).toEqual(contentHash(toContent(spelled)));
  });

  const request = { reference_id: 'r', user_id: 'u', items: [{ sku: 'A', quantity: 2 }] };

  it('without metadata has the hash of versions before metadata', () => {
    const before = 'def58eb7510ecfa4805e8359f66a51d36dca550bff821a4a0437684e57a55fb7';
    for (const metadata of [undefined, null, {}])
      expect(contentHash(toContent({ ...request, metadata })).toString('hex')).toBe(before);
  });

  it('includes metadata, in any order', () => {
    const one = contentHash(toContent({ ...request, metadata: { cart: '1', shop: '2' } }));
    expect(contentHash(toContent({ ...request, metadata: { shop: '2', cart: '1' } }))).toEqual(one);
    expect(contentHash(toContent({ ...request, metadata: { cart: '2', shop: '1' } }))).not.toEqual(one);
    expect(contentHash(toContent(request))).not.toEqual(one);
  });

  it('leaves out max_total_amount and end_user_ip', () => {
    const dear = { ...request, max_total_amount: '1.00', end_user_ip: '203.0.113.7' };
    expect(contentHash(toContent(dear))).toEqual(contentHash(toContent(request)));
  });
});
