import { describe, expect, it } from '@jest/globals';
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
});

describe('the content of an order', () => {
  it('has the same hash exactly when all of it is the same', () => {
    fc.assert(
      fc.property(content, content, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(contentHash(one).equals(contentHash(other))).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same whether a default was sent or left out', () => {
    const base = { reference_id: 'r', user_id: 'u' };
    const spelled = { ...base, server_id: null, character_id: null, items: [{ sku: 'A', quantity: 1 }] };
    const short = { ...base, items: [{ sku: 'A' }] };
    const nulled = { ...base, items: [{ sku: 'A', quantity: null }] };
    expect(contentHash(toContent(short))).toEqual(contentHash(toContent(spelled)));
    expect(contentHash(toContent(nulled))).toEqual(contentHash(toContent(spelled)));
  });
});
