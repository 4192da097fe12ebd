import { PageQueryDto } from '../core/http/page-query.dto.js';
import { Moment, OneOf } from '../core/validation/member.decorators.js';
import { ORDER_STATUSES, type OrderStatus } from './states.js';

export class OrderListQuery extends PageQueryDto {
  @OneOf(ORDER_STATUSES, { optional: true })
  status?: OrderStatus;

  @Moment({ optional: true, description: 'Created at this moment or later' })
  created_from?: string;

  @Moment({ optional: true, description: 'Created at this moment or earlier' })
  created_to?: string;
}
