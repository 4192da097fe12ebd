import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { UNROUTABLE } from '../../catalog/routing.js';
import { FAILURE_CODES } from '../../core/failures.js';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { ORDER_STATUSES } from '../../orders/states.js';

const Amount = (example: string, description?: string): PropertyDecorator =>
  ApiProperty({
    example,
    pattern: '^-?\\d+\\.\\d{2}$',
    ...(description && { description: `${description}, THB` }),
  });

const NullableAmount = (example: string | null, description: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, example, description });

const Failure = (): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, enum: [...FAILURE_CODES, null], example: null });

export class MerchantNameDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ example: 'Somchai Game Shop' }) name!: string;
}

export class ListedItemDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ type: 'integer', example: 2 }) quantity!: number;
}

/** An order in a list. Without permission to read players, only their last 3 characters are left. */
export class ListedOrderDto {
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ example: 'shop-10001' }) reference_id!: string;
  @ApiProperty({ example: false, description: 'Nothing real was bought, and no figure has it' })
  sandbox!: boolean;
  @ApiProperty({ example: '…789' }) user_id!: string;
  @ApiNullableText('2001', 'Game server') server_id!: string | null;
  @ApiNullableText(null, 'Game character') character_id!: string | null;
  @ApiProperty({ enum: ORDER_STATUSES, example: 'processing' }) status!: string;
  @Amount('70.00') total_amount!: string;
  @ApiProperty({ type: [ListedItemDto] }) items!: ListedItemDto[];
  @Failure() failure_code!: string | null;
  @ApiMoment() created_at!: string;
  @ApiMoment({ nullable: true, description: 'Null while it is open' }) ended_at!: string | null;
}

export class DeskItemDto extends ListedItemDto {
  @ApiProperty({ type: 'integer', example: 1, description: 'Counted from 1' }) item!: number;
  @ApiProperty({ enum: ['topup', 'code'], example: 'topup' }) kind!: string;
  @ApiProperty({ enum: ORDER_STATUSES, example: 'processing' }) status!: string;
  @Amount('35.00', 'What the merchant pays for a piece') unit_price!: string;
  @Amount('35.00', 'For everybody who has no own price') list_price!: string;
  @ApiProperty({ type: 'integer', example: 1 }) completed_quantity!: number;
  @ApiProperty({ type: 'integer', example: 0 }) failed_quantity!: number;
  @Failure() failure_code!: string | null;
  @ApiNullableText(null) failure_message!: string | null;
}

const ATTEMPT_STATES = ['sending', 'processing', 'unknown', 'review', 'succeeded', 'failed', 'withdrawn'];

export class DeskAttemptDto {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;
  @ApiProperty({ example: 'acme' }) supplier!: string;
  @ApiProperty({ example: 'ML86' }) supplier_sku!: string;
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7.1.1' }) reference!: string;
  @ApiNullableText('A-5521') supplier_reference!: string | null;
  @ApiProperty({ enum: ATTEMPT_STATES, example: 'succeeded' }) state!: string;
  @NullableAmount('23.5', 'What the supplier took; null where it does not say, or to those who may not see costs')
  cost!: string | null;
  @ApiNullableText('IDR') currency!: string | null;
  @Failure() failure_code!: string | null;
}

const UNIT_STATES = ['queued', 'sending', 'unknown', 'review', 'succeeded', 'failed'];

export class DeskUnitDto {
  @ApiProperty({ example: '1.2', description: 'Item and piece' }) unit!: string;
  @ApiProperty({ enum: UNIT_STATES, example: 'review' }) state!: string;
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @Amount('35.00', 'What the merchant pays for it') price!: string;
  @ApiProperty({ example: 'acme' }) supplier!: string;
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7.1.2', description: 'By which its supplier knows it' })
  reference!: string;
  @ApiNullableText('A-5521') supplier_reference!: string | null;
  @Failure() failure_code!: string | null;
  @ApiNullableText(null) failure_message!: string | null;
  @ApiProperty({ type: 'integer', example: 1, description: 'How often it was sent' }) sends!: number;
  @ApiProperty({ type: [DeskAttemptDto] }) attempts!: DeskAttemptDto[];
  @ApiProperty({ example: true, description: 'It is in unknown or review' }) can_resolve!: boolean;
  @ApiProperty({ example: false, description: 'It is certain that nothing was bought' }) can_cancel!: boolean;
}

export class MovementDto {
  @ApiProperty({ example: '4711' }) id!: string;
  @ApiProperty({ enum: ['order_hold', 'order_spend', 'order_refund'], example: 'order_hold' }) kind!: string;
  @Amount('70.00') amount!: string;
  @NullableAmount('1240.50', 'What the wallet had available then; null to those who may not see wallets')
  available_after!: string | null;
  @ApiMoment() created_at!: string;
}

export class OrderMoneyDto {
  @Amount('0.00', 'Held now') held!: string;
  @Amount('35.00', 'Spent') spent!: string;
  @Amount('35.00', 'Returned') returned!: string;
  @ApiProperty({ type: [MovementDto] }) entries!: MovementDto[];
}

/** An offer that came before the one that was taken. */
export class PassedOverDto {
  @ApiProperty({ example: 'beta' }) supplier!: string;
  @ApiProperty({ example: 'BETA-86' }) supplier_sku!: string;
  @ApiProperty({
    example: 'paused',
    enum: [...UNROUTABLE, 'once_per_day', 'player'],
    description:
      'Why it was not routable; `once_per_day`: it sells a player one piece a day; `player`: it is for others',
  })
  why!: string;
}

export class EarlierAttemptDto {
  @ApiProperty({ enum: ['failed', 'withdrawn'], example: 'failed' }) outcome!: string;
  @ApiPropertyOptional({ example: 'OUT_OF_STOCK' }) failure_code?: string;
}

/** Something that happened to an order. What does not apply is absent. */
export class TimelineEntryDto {
  @ApiMoment() at!: string;
  @ApiProperty({
    example: 'supplier.send',
    description:
      '`order.created`, `order.completed`, `order.failed`; `money.held`, `money.spent`, `money.returned`; ' +
      '`attempt.began`; `unit.claimed` while a process calls about it, `unit.review`, `unit.succeeded`, `unit.failed`; ' +
      '`supplier.send`, `supplier.inquiry`, `supplier.callback`, `supplier.taken_back`, ' +
      '`supplier.bought_late`, `supplier.unknown_purchase`; `event.` and the event; `webhook.delivery` before its first attempt, ' +
      '`webhook.attempt`; or an action of ' +
      'the log, such as `order.note`',
  })
  kind!: string;
  @ApiPropertyOptional({ example: '1.2' }) unit?: string;
  @ApiPropertyOptional({ example: 'unknown' }) outcome?: string;
  @ApiPropertyOptional({ type: 'integer', example: 120 }) duration_ms?: number;
  @ApiPropertyOptional({ example: 'worker@host:1-ab' }) process?: string;
  @ApiPropertyOptional({ example: '35.00' }) amount?: string;
  @ApiPropertyOptional({ example: 'nok@example.com' }) operator?: string;
  @ApiPropertyOptional({ example: 'ticket 4711' }) reason?: string;
  @ApiPropertyOptional({ example: 'acme' }) supplier?: string;
  @ApiPropertyOptional({ example: 'timed out' }) detail?: string;
  @ApiPropertyOptional({
    type: 'integer',
    example: 2,
    description: 'Which attempt, at the supplier or of a delivery',
  })
  attempt?: number;
  @ApiPropertyOptional({ example: 'ML86' }) supplier_sku?: string;
  @ApiPropertyOptional({ example: 'ord_Np3O7rcsqNmBTwD7.1.2.2' }) reference?: string;
  @ApiPropertyOptional({ example: '23', description: 'Costs are absent for those who may not see them' })
  expected_cost?: string;
  @ApiPropertyOptional({ example: '24.15', description: 'More than this the supplier was not to take' })
  max_cost?: string;
  @ApiPropertyOptional({ example: '23.5', description: 'What the supplier took' }) cost?: string;
  @ApiPropertyOptional({ example: 'IDR' }) currency?: string;
  @ApiPropertyOptional({ type: [PassedOverDto], description: 'Offers that came before the one taken' })
  passed_over?: PassedOverDto[];
  @ApiPropertyOptional({ type: EarlierAttemptDto, description: 'How the attempt before it ended' })
  after?: EarlierAttemptDto;
  @ApiPropertyOptional({
    example: '1240.50',
    description: 'What the wallet had available then; absent for those who may not see wallets',
  })
  available_after?: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When a claim ends by itself' }) until?: string;
  @ApiPropertyOptional({ type: 'integer', example: 3 }) webhook_id?: number;
  @ApiPropertyOptional({ type: 'integer', example: 4711 }) delivery_id?: number;
  @ApiProperty({ example: 'unknown after 10000 ms: timed out', description: 'The same in words' })
  text!: string;
}

export class OrderDetailDto extends ListedOrderDto {
  @Amount('70.00') subtotal_amount!: string;
  @Amount('0.00') discount_amount!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { cart: 'c-8812' } })
  metadata!: Record<string, string>;
  @ApiNullableText(null) failure_message!: string | null;
  @ApiMoment() updated_at!: string;
  @ApiProperty({ type: [DeskItemDto] }) declare items: DeskItemDto[];
  @ApiProperty({ type: OrderMoneyDto }) money!: OrderMoneyDto;
  @ApiProperty({ type: [DeskUnitDto] }) units!: DeskUnitDto[];
  @ApiProperty({ type: [TimelineEntryDto], description: 'Oldest first' }) timeline!: TimelineEntryDto[];
}
