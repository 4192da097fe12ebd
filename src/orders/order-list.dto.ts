import { PageQueryDto } from '../core/http/page-query.dto.js';
import { Moment, OneOf, Text } from '../core/validation/member.decorators.js';
import { ORDER_STATUSES, type OrderStatus } from './states.js';

export class OrderListQuery extends PageQueryDto {
  @OneOf(ORDER_STATUSES, { optional: true })
  status?: OrderStatus;

  @Moment({ optional: true, description: 'Created at this moment or later' })
  created_from?: string;

  @Moment({ optional: true, description: 'Created at this moment or earlier' })
  created_to?: string;

  @Text(1, 128, { optional: true, description: 'The order with this number' })
  order_number?: string;

  @Text(1, 128, { optional: true, description: 'Orders for this recipient' })
  user_id?: string;

  @Text(1, 128, { optional: true, description: 'The order with this reference' })
  reference_id?: string;
}
