import { ApiPropertyOptional } from '@nestjs/swagger';
import { Moment, PageQuery } from '../core/pagination.js';
import { Absent, OneOf } from '../core/validation/rule.js';
import { ORDER_STATUSES, type OrderStatus } from './states.js';

export class OrderListQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, enum: ORDER_STATUSES })
  @Absent()
  @OneOf(ORDER_STATUSES)
  status?: OrderStatus;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Created at this moment or later' })
  @Moment()
  created_from?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Created at this moment or earlier',
  })
  @Moment()
  created_to?: string;
}
