import { DEFAULT_LIMIT, MAX_LIMIT, type PageQuery } from '../pagination.js';
import { Member } from '../validation/member.decorators.js';

/** The number of entries of a page. */
export const Limit = (byDefault = DEFAULT_LIMIT): PropertyDecorator =>
  Member(
    { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: byDefault },
    (value) => {
      const words = `must be an integer from 1 to ${MAX_LIMIT}`;
      if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return { code: 'INVALID_TYPE', words };
      return Number(value) >= 1 && Number(value) <= MAX_LIMIT ? null : { code: 'OUT_OF_RANGE', words };
    },
    { optional: true },
  );

/** The cursor of a list: where its next page begins. */
export const Cursor = (): PropertyDecorator =>
  Member(
    { type: String },
    (value) => (typeof value === 'string' ? null : { code: 'INVALID_TYPE', words: 'must appear once' }),
    { optional: true, description: 'The `next_cursor` of the previous page' },
  );

/** The query parameter of a list without pages. */
export class LimitQueryDto implements Pick<PageQuery, 'limit'> {
  @Limit() limit?: string;
}

/** The query parameters of a list with pages. */
export class PageQueryDto extends LimitQueryDto implements PageQuery {
  @Cursor() cursor?: string;
}
