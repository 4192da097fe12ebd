import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { LimitQueryDto } from '../core/http/page-query.dto.js';
import { Member, OneOf } from '../core/validation/member.decorators.js';
import { DELIVERED_EVENTS, type DeliveredEvent } from './event.entity.js';

/** The wallet in a `wallet.low_balance` event. */
export class LowBalanceDto {
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiProperty({
    example: '495.00',
    pattern: '^\\d+\\.\\d{2}$',
    description: 'The available balance after the charge or debit that caused the event',
  })
  available_amount!: string;
  @ApiProperty({ example: '500.00', pattern: '^\\d+\\.\\d{2}$' }) threshold_amount!: string;
}

/** When each event happens. */
export const EVENT_MEANINGS: Readonly<Record<DeliveredEvent, string>> = {
  'order.completed': 'Every unit of an order succeeded',
  'order.failed': 'At least one unit of an order failed; the money of the failed units is back in the wallet',
  'wallet.low_balance': 'The available balance fell below the threshold that the operator set',
  'deposit.paid': 'A payment of a deposit was credited: each payment has its own event',
  'deposit.expired': 'The time to pay a deposit is over; a payment that is already on its way still counts',
  'webhook.test': 'You requested a test: ignore its data',
};

/**
 * An event, with the members that webhooks receive (contract, section 4). The API documentation has one schema for each kind:
 * this schema with the `data` of that kind.
 */
@ApiExtraModels(LowBalanceDto)
export class EventDto {
  @ApiProperty({
    example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
    description: 'The `webhook-id` of its deliveries',
  })
  id!: string;
  @ApiProperty({ enum: DELIVERED_EVENTS }) event!: DeliveredEvent;
  @ApiProperty({ type: 'integer', example: 1768465800, description: 'When the event happened, in Unix seconds' })
  timestamp!: number;
  @ApiProperty({ type: Object }) data!: object;
}

export class EventListQuery extends LimitQueryDto {
  @OneOf(DELIVERED_EVENTS, { optional: true })
  type?: DeliveredEvent;

  @Member(
    { type: String },
    (value) => (typeof value === 'string' ? null : { code: 'INVALID_TYPE', words: 'must appear once' }),
    {
      optional: true,
      description: 'Lists the events after this one: the `next_cursor` of a page, or the `id` of an event',
    },
  )
  after?: string;
}
