import { ApiProperty } from '@nestjs/swagger';
import { meanings } from '../core/http/api-text.js';
import { formatBaht } from '../core/money.js';
import { FAILURE_MESSAGES } from '../core/failures.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import { lineAmounts } from './pricing.js';
import { ORDER_STATUSES } from './states.js';

const amount = (example: string, description: string): PropertyDecorator =>
  ApiProperty({ type: String, example, pattern: '^-?\\d+\\.\\d{2}$', description: `${description}, THB` });

const failureCode = (codes: Readonly<Record<string, string>>): PropertyDecorator =>
  ApiProperty({
    type: String,
    nullable: true,
    // Whatever `nullable` says, an enum allows only what it names (OpenAPI 3.0.3, proposal 2019-10-31).
    enum: [...Object.keys(codes), null],
    example: null,
    description: meanings('Null unless it failed, and then one of', codes),
  });

const { PARTIALLY_COMPLETED: _ofOrdersOnly, ...UNIT_FAILURE_MESSAGES } = FAILURE_MESSAGES;

const nullableText = (description: string, example: string | null = null): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, example, description });

/** One line of an order (specification, section 2.2). */
export class OrderItemDto {
  @ApiProperty({ type: String, example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 2 }) quantity!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Pieces topped up so far' })
  completed_quantity!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Pieces whose top-up failed' })
  failed_quantity!: number;
  @ApiProperty({ type: String, enum: ORDER_STATUSES, example: 'pending' }) status!: string;
  @amount('70.00', 'List price times quantity') subtotal_amount!: string;
  @amount('0.00', 'What the merchant’s own price saves') discount_amount!: string;
  @amount('70.00', 'Subtotal less discount') total_amount!: string;
  @failureCode(UNIT_FAILURE_MESSAGES) failure_code!: string | null;
  @nullableText('Null unless the item failed') failure_message!: string | null;
}

export class CreatedByDto {
  @ApiProperty({ type: 'integer', example: 0 }) id!: number;
  @ApiProperty({ type: String, example: 'API' }) name!: string;
}

/** An order as merchants see it (specification, section 2.1). */
export class OrderDto {
  @ApiProperty({
    type: String,
    example: 'ord_Np3O7rcsqNmBTwD7',
    description: 'Orders can’t be looked up by it',
  })
  order_number!: string;
  @ApiProperty({ type: String, example: 'order-1001' }) reference_id!: string;
  @ApiProperty({ type: String, example: '123456789' }) user_id!: string;
  @nullableText('Game server', '2001') server_id!: string | null;
  @nullableText('Game character') character_id!: string | null;
  @ApiProperty({ type: String, enum: ORDER_STATUSES, example: 'pending' }) status!: string;
  @amount('70.00', 'List prices of all items') subtotal_amount!: string;
  @amount('0.00', 'What the merchant’s own prices save') discount_amount!: string;
  @amount('70.00', 'Total of the whole order') total_amount!: string;
  @ApiProperty({ type: String, example: 'api' }) source_type!: string;
  @ApiProperty({ type: CreatedByDto }) created_by!: CreatedByDto;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  updated_at!: string;
  @failureCode(FAILURE_MESSAGES) failure_code!: string | null;
  @nullableText('Null unless the order failed') failure_message!: string | null;
  @ApiProperty({ type: [OrderItemDto], minItems: 1 }) items!: OrderItemDto[];
}

/** The one mapping from rows to what merchants see: answers, webhook bodies and the command line use it. */
export function toOrderDto(order: OrderRow, items: ItemRow[]): OrderDto {
  return {
    order_number: order.order_number,
    reference_id: order.reference_id,
    user_id: order.user_id,
    server_id: order.server_id,
    character_id: order.character_id,
    status: order.status,
    subtotal_amount: formatBaht(order.subtotal_amount),
    discount_amount: formatBaht(order.discount_amount),
    total_amount: formatBaht(order.total_amount),
    source_type: 'api',
    created_by: { id: 0, name: 'API' },
    created_at: order.created_at.toISOString(),
    updated_at: order.updated_at.toISOString(),
    failure_code: order.failure_code,
    failure_message: order.failure_message,
    items: items.map(toItemDto),
  };
}

function toItemDto(item: ItemRow): OrderItemDto {
  const amounts = lineAmounts({ listPrice: item.list_price, unitPrice: item.unit_price }, item.quantity);
  return {
    sku: item.sku,
    quantity: item.quantity,
    completed_quantity: item.completed_quantity,
    failed_quantity: item.failed_quantity,
    status: item.status,
    subtotal_amount: formatBaht(amounts.subtotal),
    discount_amount: formatBaht(amounts.discount),
    total_amount: formatBaht(amounts.total),
    failure_code: item.failure_code,
    failure_message: item.failure_message,
  };
}
