import { decodeCursor, encodeCursor, MAX_INTEGER, pageLimit, toPage } from '../core/pagination.js';
import type { Page, PageQuery } from '../core/pagination.js';
import { CONSOLE_LIMIT } from './orders/order-queries.dto.js';

/** Returns the number of rows and the cursor of a requested page. */
export const pageOf = ({ limit, cursor }: PageQuery): { limit: number; cursor: string | undefined } => ({
  limit: pageLimit({ limit }, CONSOLE_LIMIT),
  cursor,
});

/** Reads a page of a list, the highest ids first. @throws BAD_REQUEST for an invalid cursor. */
export async function newestFirst<Row extends { id: number | string }, Item = Row>(
  query: PageQuery,
  read: (before: number, limit: number) => Promise<Row[]>,
  toItem?: (row: Row) => Item,
): Promise<Page<Item>> {
  const { limit, cursor } = pageOf(query);
  const before = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? MAX_INTEGER);
  return toPage(await read(before, limit + 1), limit, ({ id }) => encodeCursor(Number(id)), toItem);
}
