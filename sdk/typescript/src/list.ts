/** A page of a list. */
export interface Page<Item> {
  data: Item[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** A list that loads its pages as you iterate: `for await (const order of topup.orders.list()) …`. */
export class List<Item> implements AsyncIterable<Item> {
  /** @param read loads the page after a cursor, or the first page without one. */
  constructor(private readonly read: (cursor: string | undefined) => Promise<Page<Item>>) {}

  /** Iterates over whole pages. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.read(cursor);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The first elements up to `limit`, or all of them. */
  async toArray(limit: number = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }
}
