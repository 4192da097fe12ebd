import { IntersectionType } from '@nestjs/swagger';
import { FAILURE_CODES } from '../../core/failures.js';
import type { PageQuery } from '../../core/pagination.js';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import { Moment, Member, Text } from '../../core/validation/member.decorators.js';
import { ORDER_STATUSES } from '../../orders/states.js';
import { AnyId, AnyOf, AnyText, isId } from '../filters.js';

/** The number of entries on a page unless the query has a `limit`. */
export const CONSOLE_LIMIT = 50;

/** An id in a query, as text. */
export const Id = (description: string): PropertyDecorator =>
  Member(
    { type: 'integer', minimum: 1 },
    (value) =>
      typeof value === 'string' && isId(value)
        ? null
        : { code: 'INVALID_VALUE', words: 'must be an id: a whole number such as 12' },
    { optional: true, description },
  );

/** A filter of orders: an order must match every given member. */
export class OrderFilterDto {
  @AnyOf(ORDER_STATUSES, 'The status') status?: string;
  @AnyId('The id of a merchant') merchant?: string;
  @Text(1, 128, { optional: true, description: 'The SKU of a product: orders with an item of the product' })
  sku?: string;
  @AnyText(128, 'The code of a supplier: orders with an item that was first routed to the supplier') supplier?: string;
  @AnyOf(FAILURE_CODES, 'The failure code of the order') failure?: string;
  @Moment({ optional: true, description: 'Created at or after' }) from?: string;
  @Moment({ optional: true, description: 'Created before' }) to?: string;
  @Text(1, 255, {
    optional: true,
    description:
      'An exact term: the number of an order or unit, a reference of a merchant or supplier, or the id of an event or player',
  })
  q?: string;
}

/** The size of a page, and its place in the list. */
export class ListQueryDto implements PageQuery {
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class OrdersQueryDto extends IntersectionType(OrderFilterDto, ListQueryDto) {}

const REVIEW_STATES = ['review', 'unknown'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

export class ReviewQueryDto extends ListQueryDto {
  @AnyOf(REVIEW_STATES, 'The state of the unit') state?: string;
  @AnyText(128, 'The code of a supplier: units with this supplier') supplier?: string;
}

export class SearchQueryDto {
  @Text(1, 255, {
    description:
      'For orders, an exact term as in the list of orders. For merchants, the id or a part of the name; for products, the SKU or ' +
      'a part of the name',
  })
  q!: string;
}
