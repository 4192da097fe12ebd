import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { csvParts, jsonArray, type Line } from './parts.js';

const pagesOf = (...pages: Line[][]): AsyncIterable<Line[]> => Readable.from(pages);

/** Pages whose query fails after so many pages. */
function failing(...pages: Line[][]): AsyncIterable<Line[]> {
  const read = function* (): Generator<Line[]> {
    yield* pages;
    throw new Error('the database is away');
  };
  return Readable.from(read());
}

const WAYS = {
  json: (pages: AsyncIterable<Line[]>): AsyncGenerator<string> => jsonArray(pages, { before: '{"a":', after: '}\n' }),
  csv: (pages: AsyncIterable<Line[]>): AsyncGenerator<string> => csvParts(['id'], pages),
};

describe.each([
  ['json', '{"a":[]}\n', '{"a":[{"id":1},{"id":2},{"id":3}]}\n'],
  ['csv', 'id\n', 'id\n1\n2\n3\n'],
] as const)('output in parts as %s', (way, ofNothing, ofThree) => {
  /** Prints the pages to `parts`. */
  const print = async (pages: AsyncIterable<Line[]>, parts: string[] = []): Promise<string> => {
    for await (const part of WAYS[way](pages)) parts.push(part);
    return parts.join('');
  };

  it('is whole, over pages, with empty ones', async () => {
    expect(await print(pagesOf([], [{ id: 1 }, { id: 2 }], [], [{ id: 3 }]))).toBe(ofThree);
    expect(await print(pagesOf())).toBe(ofNothing);
    expect(await print(pagesOf([], []))).toBe(ofNothing);
  });

  it('is empty if the first page cannot be read', async () => {
    for (const pages of [failing(), failing([])]) {
      const parts: string[] = [];
      await expect(print(pages, parts)).rejects.toThrow('the database is away');
      expect(parts).toEqual([]);
    }
  });
});
