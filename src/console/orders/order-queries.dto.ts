import { IntersectionType } from '@nestjs/swagger';
import { FAILURE_CODES, type FailureCode } from '../../core/failures.js';
import { MAX_INTEGER, type PageQuery } from '../../core/pagination.js';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import { Member, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ORDER_STATUSES, type OrderStatus } from '../../orders/states.js';

/** The length of a page unless the query names another. */
export const CONSOLE_LIMIT = 50;

/** An id in a query, as text. */
export const Id = (description: string): PropertyDecorator =>
  Member(
    { type: 'integer', minimum: 1 },
    (value) =>
      typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value) && BigInt(value) <= MAX_INTEGER
        ? null
        : { code: 'INVALID_VALUE', words: 'must be an id: a whole number such as 12' },
    { optional: true, description },
  );

/** A filter of orders: an order must match every given member. */
export class OrderFilterDto {
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @Id('The id of a merchant') merchant?: string;
  @Text(1, 128, { optional: true, description: 'With an item of this product' }) sku?: string;
  @Text(1, 128, { optional: true, description: 'With an item from this supplier, by its code' }) supplier?: string;
  @OneOf(FAILURE_CODES, { optional: true }) failure?: FailureCode;
  @Moment({ optional: true, description: 'Created at or after' }) from?: string;
  @Moment({ optional: true, description: 'Created before' }) to?: string;
  @Text(1, 255, {
    optional: true,
    description:
      'One term, exactly: an order’s or unit’s number, a merchant’s or supplier’s reference, an event, a player',
  })
  q?: string;
}

/** The members of every query for a page. */
export class ListQueryDto implements PageQuery {
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class OrdersQueryDto extends IntersectionType(OrderFilterDto, ListQueryDto) {}

export class ReviewQueryDto implements PageQuery {
  @OneOf(['review', 'unknown'], { optional: true }) state?: 'review' | 'unknown';
  @Text(1, 128, { optional: true, description: 'Of this supplier, by its code' }) supplier?: string;
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class SearchQueryDto {
  @Text(1, 255, { description: 'What is looked for, exactly' }) q!: string;
}
