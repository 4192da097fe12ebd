import { invalidValue } from './errors.js';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** The query parameters of a list, as text. */
export interface PageQuery {
  limit?: string;
  cursor?: string;
}

export const pageLimit = ({ limit }: Pick<PageQuery, 'limit'>, byDefault = DEFAULT_LIMIT): number =>
  limit === undefined ? byDefault : Number(limit);

/**
 * Encodes the sort key of a page's last row, so that the next page starts right after that row, even if rows were added. (Only {@link sliceOf} has an offset as its key.) The key
 * has only whole numbers, so a forged cursor can only lead to another place in the same list.
 */
export const encodeCursor = (...key: (bigint | number)[]): string => Buffer.from(key.join('.')).toString('base64url');

/** The largest values that the parts of a cursor may have: a PostgreSQL integer, a bigint, and a JavaScript date. */
export const MAX_INTEGER = 2n ** 31n - 1n;
export const MAX_BIGINT = 2n ** 63n - 1n;
export const MAX_DATE_MS = 8_640_000_000_000_000n;

/**
 * Reads a cursor.
 * @param maxima the maximum of each part.
 * @param field the name of the parameter.
 * @returns its parts; null without a cursor. @throws BAD_REQUEST for an invalid cursor.
 */
export function decodeCursor(cursor: string | undefined, maxima: bigint[], field = 'cursor'): bigint[] | null {
  if (cursor === undefined) return null;
  const parts = Buffer.from(cursor, 'base64url').toString().split('.');
  const key = parts.every((part) => /^\d{1,19}$/.test(part)) ? parts.map(BigInt) : [];
  const fits = key.length === maxima.length && key.every((part, index) => part <= (maxima[index] ?? 0n));
  if (fits && encodeCursor(...key) === cursor) return key;
  throw invalidValue(field, `${field} is not the next_cursor of a page`);
}

/**
 * Makes a page from up to `limit + 1` rows: the extra row shows that there is a next page.
 * @param itemOf makes an item from a row; by default the item is the row itself.
 */
export function toPage<Row, Item = Row>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => Item = (row) => row as unknown as Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(itemOf), next_cursor: rows.length > limit && last ? cursorOf(last) : null };
}

/** Cuts a page from rows in memory. The cursor is the number of rows before the page. @throws BAD_REQUEST for an invalid cursor. */
export function sliceOf<Row>(rows: readonly Row[], cursor: string | undefined, size: number): Page<Row> {
  const first = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? 0n);
  const next = first + size < rows.length ? encodeCursor(first + size) : null;
  return { data: rows.slice(first, first + size), next_cursor: next };
}
