import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { invalidRequest } from './errors.js';
import { Absent, Rule } from './validation/rule.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** A page of a list; `next_cursor` is null on the last one. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** The query parameters that every list takes. */
export class PageQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  @Absent()
  @Rule((value) => {
    const words = `must be an integer from 1 to ${MAX_LIMIT}`;
    if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return { code: 'INVALID_TYPE', words };
    return Number(value) >= 1 && Number(value) <= MAX_LIMIT ? null : { code: 'OUT_OF_RANGE', words };
  })
  limit?: string;

  @ApiPropertyOptional({ type: String, description: 'The `next_cursor` of the page before' })
  @Absent()
  @Rule((value) => (typeof value === 'string' ? null : { code: 'INVALID_TYPE', words: 'must be given once' }))
  cursor?: string;
}

export const pageLimit = ({ limit }: PageQuery): number =>
  limit === undefined ? DEFAULT_LIMIT : Number(limit);

/** A moment in ISO 8601 with a time zone, as a query parameter; {@link readMoment} makes a Date of it. */
export const Moment = (): PropertyDecorator =>
  applyDecorators(
    Absent(),
    Rule((value) =>
      typeof value === 'string' && readMoment(value)
        ? null
        : { code: 'INVALID_VALUE', words: 'must be a moment such as 2026-01-15T08:30:00Z' },
    ),
  );

const ISO_MOMENT = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The moment that a text names; null when it names none, such as one on 30 February. */
export function readMoment(text: string): Date | null {
  const [, year, month, day] = ISO_MOMENT.exec(text) ?? [];
  const moment = new Date(text);
  if (year === undefined || year === '0000' || Number.isNaN(moment.getTime())) return null;
  // Date lets 30 February roll over into March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysInMonth ? moment : null;
}

/**
 * A cursor holds the sort key of the last row of a page, so that a page starts right behind it whatever came since.
 * It is made of whole numbers, so that a forged one can at worst name another place in the caller's own list.
 */
export const encodeCursor = (...key: (bigint | number)[]): string =>
  Buffer.from(key.join('.')).toString('base64url');

/** The largest values that the parts of a cursor may have: a PostgreSQL integer, a bigint, and a JavaScript date. */
export const MAX_INTEGER = 2n ** 31n - 1n;
export const MAX_BIGINT = 2n ** 63n - 1n;
export const MAX_DATE_MS = 8_640_000_000_000_000n;

/**
 * Reads a cursor.
 * @param maxima of each of its parts.
 * @returns its parts, or null where there is no cursor. @throws BAD_REQUEST for one that no page carried.
 */
export function decodeCursor(cursor: string | undefined, maxima: bigint[]): bigint[] | null {
  if (cursor === undefined) return null;
  const parts = Buffer.from(cursor, 'base64url').toString().split('.');
  const key = parts.every((part) => /^\d{1,19}$/.test(part)) ? parts.map(BigInt) : [];
  const fits = key.length === maxima.length && key.every((part, index) => part <= (maxima[index] ?? 0n));
  if (fits && encodeCursor(...key) === cursor) return key;
  const message = 'cursor is not the next_cursor of a page';
  throw invalidRequest([{ field: 'cursor', code: 'INVALID_VALUE', message }]);
}

/** Makes a page of `limit + 1` rows asked for: the extra one says that there is more. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(itemOf), next_cursor: rows.length > limit && last ? cursorOf(last) : null };
}

/** Documents an answer that is a page of `item`. */
export const ApiPage = (item: Type<unknown>, description: string): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description,
      schema: {
        type: 'object',
        required: ['data', 'next_cursor'],
        properties: {
          data: { type: 'array', items: { $ref: getSchemaPath(item) } },
          next_cursor: { type: 'string', nullable: true, example: null },
        },
      },
    }),
  );
