import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { LimitQueryDto } from '../core/http/page-query.dto.js';
import { Member, OneOf } from '../core/validation/member.decorators.js';
import { DELIVERED_EVENTS, type DeliveredEvent } from './event.entity.js';

/** What `wallet.low_balance` says of the wallet. */
export class LowBalanceDto {
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiProperty({ example: '495.00', pattern: '^\\d+\\.\\d{2}$', description: 'What the movement left' })
  available_amount!: string;
  @ApiProperty({ example: '500.00', pattern: '^\\d+\\.\\d{2}$' }) threshold_amount!: string;
}

/** An event, with the members and bytes that webhooks carry (contract, section 4). */
@ApiExtraModels(LowBalanceDto)
export class EventDto {
  @ApiProperty({
    example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
    description: 'The `webhook-id` of its deliveries',
  })
  id!: string;
  @ApiProperty({ enum: DELIVERED_EVENTS, example: 'order.completed' }) event!: DeliveredEvent;
  @ApiProperty({ type: 'integer', example: 1768465800, description: 'When it happened, in Unix seconds' })
  timestamp!: number;
  @ApiProperty({
    // By name: orders record events, so events can't import them.
    oneOf: [{ $ref: getSchemaPath('OrderDto') }, { $ref: getSchemaPath(LowBalanceDto) }],
    description:
      'Of `order.completed` and `order.failed` the order as it ended, of `wallet.low_balance` the balance, of ' +
      '`webhook.test` a sample order',
  })
  data!: object;
}

export class EventListQuery extends LimitQueryDto {
  @OneOf(DELIVERED_EVENTS, { optional: true })
  type?: DeliveredEvent;

  @Member(
    { type: String },
    (value) => (typeof value === 'string' ? null : { code: 'INVALID_TYPE', words: 'must be given once' }),
    {
      optional: true,
      description: 'Events after this one: the `next_cursor` of a page, or the `id` of an event',
    },
  )
  after?: string;
}
