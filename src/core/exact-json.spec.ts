import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonNumber, parseExactJson } from './exact-json.js';

/** The same value with numbers as JSON.parse returns them. */
function inFloats(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(inFloats);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inFloats(member)]));
}

describe('JSON with exact numbers', () => {
  it('keeps the text of a number of any length', () => {
    expect(parseExactJson('{"price":9007199254740993.10,"saldo":1e3}')).toEqual({
      price: new JsonNumber('9007199254740993.10'),
      saldo: new JsonNumber('1e3'),
    });
  });

  it('otherwise equals the result of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(inFloats(parseExactJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '{', '<html>', '{"a":01}', '{"a":1,"a":2}', '[1,]', '['.repeat(100_000)])(
    'is nothing for what is not JSON, or ambiguous',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );

  it('reads `__proto__` as an ordinary member', () => {
    const value = parseExactJson('{"__proto__":{"rc":"00"}}') as Record<string, unknown>;
    expect(value.rc).toBeUndefined();
  });
});
