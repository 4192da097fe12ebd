/** A page of a list. */
export interface Page<Item> {
  data: Item[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** A list that is read as far as it is walked: `for await (const order of topup.orders.list()) …`. */
export class List<Item> implements AsyncIterable<Item> {
  /** @param read the page behind a cursor, the first one without. */
  constructor(private readonly read: (cursor: string | undefined) => Promise<Page<Item>>) {}

  /** Page by page. */
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

  /** The first so many, or all there are. */
  async toArray(limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }
}
