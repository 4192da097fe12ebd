import { Integer, ListOf, Reference, Text } from '../core/validation/member.decorators.js';

const MAX_ITEMS = 50;
export const MAX_QUANTITY = 100;

export class CreateOrderItemDto {
  @Text(1, 64, { example: 'MLBB-86' })
  sku!: string;

  // `default` would say the same, and makes generators of clients take the member for a required one.
  @Integer(1, MAX_QUANTITY, { optional: true, example: 2, nullable: true, description: '1 when absent' })
  quantity?: number | null;
}

/** The body of POST /v1/orders (specification, section 4.1). */
export class CreateOrderDto {
  @Reference({
    example: 'order-1001',
    description:
      'Your identifier for the order, and the idempotency key: repeating the request returns the same order and charges once.',
  })
  reference_id!: string;

  @Text(1, 128, { example: '123456789', description: 'Recipient' })
  user_id!: string;

  @ListOf(CreateOrderItemDto, 1, MAX_ITEMS)
  items!: CreateOrderItemDto[];

  @Text(1, 128, { optional: true, example: '2001', nullable: true })
  server_id?: string | null;

  @Text(1, 128, { optional: true, nullable: true, example: null })
  character_id?: string | null;
}
