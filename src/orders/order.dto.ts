import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText, meanings } from '../core/http/answer.decorators.js';
import { FAILURE_MESSAGES } from '../core/failures.js';
import { MAX_QUANTITY } from './order-requests.dto.js';
import { ORDER_STATUSES } from './states.js';

const Amount = (example: string, description: string): PropertyDecorator =>
  ApiProperty({ example, pattern: '^-?\\d+\\.\\d{2}$', description: `${description}, THB` });

const FailureCode = (codes: Readonly<Record<string, string>>): PropertyDecorator =>
  ApiProperty({
    type: String,
    nullable: true,
    // An enum must list null to allow it, in spite of `nullable` (OpenAPI 3.0.3, proposal 2019-10-31).
    enum: [...Object.keys(codes), null],
    example: null,
    description: meanings('Null, or for a failure one of', codes),
  });

const { PARTIALLY_COMPLETED: _ofOrdersOnly, ...UNIT_FAILURE_MESSAGES } = FAILURE_MESSAGES;

/** The code or serial number of one unit. */
class ItemDeliveryDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 1,
    description: 'Number of the unit within its item',
  })
  unit!: number;
  @ApiNullableText('7701-2210', 'Serial number') serial!: string | null;
  @ApiNullableText('ABCD-EFGH-JKLM', 'The code that the buyer redeems; null for a top-up') code!: string | null;
  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    example: '2027-12-31',
    description: 'The last day on which the code is valid',
  })
  expires_on!: string | null;
}

/** One line of an order (specification, section 2.2). */
export class OrderItemDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_QUANTITY, example: 2 }) quantity!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Units that succeeded so far' })
  completed_quantity!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Units that failed' })
  failed_quantity!: number;
  @ApiProperty({ enum: ORDER_STATUSES, example: 'pending' }) status!: string;
  @Amount('70.00', 'List price times quantity') subtotal_amount!: string;
  @Amount('0.00', 'What the merchant’s own price saves') discount_amount!: string;
  @Amount('70.00', 'Subtotal less discount') total_amount!: string;
  @FailureCode(UNIT_FAILURE_MESSAGES) failure_code!: string | null;
  @ApiNullableText(null, 'Null unless the item failed') failure_message!: string | null;
  @ApiPropertyOptional({
    type: [ItemDeliveryDto],
    description:
      'The codes of a product of kind `code`, or the serial numbers of a top-up, for the units that succeeded. Present ' +
      'once the item has ended, and only in the answer of `GET /v1/orders/{reference_id}` and in events to a webhook ' +
      'with `include_deliveries`',
  })
  deliveries?: ItemDeliveryDto[];
}

class CreatedByDto {
  @ApiProperty({ type: 'integer', example: 0 }) id!: number;
  @ApiProperty({ example: 'API' }) name!: string;
}

/** An order as merchants see it (specification, section 2.1). */
export class OrderDto {
  @ApiProperty({
    example: 'ord_Np3O7rcsqNmBTwD7',
    description: 'Not accepted by `GET /v1/orders/{reference_id}`; the list of orders has a filter for it',
  })
  order_number!: string;
  @ApiProperty({ example: 'order-1001' }) reference_id!: string;
  @ApiProperty({ example: '123456789' }) user_id!: string;
  @ApiNullableText('2001', 'Game server') server_id!: string | null;
  @ApiNullableText(null, 'Game character') character_id!: string | null;
  @ApiProperty({ enum: ORDER_STATUSES, example: 'pending' }) status!: string;
  @Amount('70.00', 'List prices of all items') subtotal_amount!: string;
  @Amount('0.00', 'What the merchant’s own prices save') discount_amount!: string;
  @Amount('70.00', 'Total of the whole order') total_amount!: string;
  @ApiProperty({ example: 'api' }) source_type!: string;
  @ApiProperty({ type: CreatedByDto }) created_by!: CreatedByDto;
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { cart: 'c-8812' },
    description: 'Your own texts, as they were given; empty when there are none',
  })
  metadata!: Record<string, string>;
  @FailureCode(FAILURE_MESSAGES) failure_code!: string | null;
  @ApiNullableText(null, 'Null unless the order failed') failure_message!: string | null;
  @ApiProperty({ type: [OrderItemDto], minItems: 1 }) items!: OrderItemDto[];
}
