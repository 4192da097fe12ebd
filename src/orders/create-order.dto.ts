import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ListOf } from '../core/validation/list-of.js';
import { AbsentOrNull, Integer, Reference, Text } from '../core/validation/rule.js';

const MAX_ITEMS = 50;
const MAX_QUANTITY = 100;

export class CreateOrderItemDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: 64, example: 'MLBB-86' })
  @Text(1, 64)
  sku!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUANTITY,
    example: 2,
    nullable: true,
    // `default` would say the same, and makes generators of clients take the member for a required one.
    description: '1 when absent',
  })
  @AbsentOrNull()
  @Integer(1, MAX_QUANTITY)
  quantity?: number | null;
}

/** The body of POST /v1/orders (specification, section 4.1). */
export class CreateOrderDto {
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: 128,
    example: 'order-1001',
    description: 'Your own name of the order: sending it again gives the same order, charged once',
  })
  @Reference()
  reference_id!: string;

  @ApiProperty({ type: String, minLength: 1, maxLength: 128, example: '123456789', description: 'Recipient' })
  @Text(1, 128)
  user_id!: string;

  @ApiProperty({ type: [CreateOrderItemDto], minItems: 1, maxItems: MAX_ITEMS })
  @ListOf(() => CreateOrderItemDto, 1, MAX_ITEMS)
  items!: CreateOrderItemDto[];

  @ApiPropertyOptional({ type: String, minLength: 1, maxLength: 128, example: '2001', nullable: true })
  @AbsentOrNull()
  @Text(1, 128)
  server_id?: string | null;

  @ApiPropertyOptional({ type: String, minLength: 1, maxLength: 128, nullable: true, example: null })
  @AbsentOrNull()
  @Text(1, 128)
  character_id?: string | null;
}
