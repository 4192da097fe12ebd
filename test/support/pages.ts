import { expect } from '@jest/globals';
import type { Answer, Client } from './http.js';

/** A page of a list (contract, section 5). */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/**
 * Reads a list from its first page to its last.
 * @param between runs after each page, such as to add entries.
 */
export async function walk<Item>(
  client: Client,
  path: string,
  query: Record<string, string> = {},
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const parameters: URLSearchParams = new URLSearchParams({
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    const { status, body }: Answer<Page<Item>> = await client.get<Page<Item>>(`${path}?${parameters.toString()}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'next_cursor']);
    if (body.next_cursor !== null) expect(body.data).toHaveLength(Number(query.limit ?? 20));
    items.push(...body.data);
    cursor = body.next_cursor;
    await between();
  } while (cursor !== null);
  return items;
}
