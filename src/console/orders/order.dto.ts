import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { UNROUTABLE } from '../../catalog/routing.js';
import { FAILURE_CODES } from '../../core/failures.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { PRODUCT_KINDS } from '../../core/product-kind.js';
import { ORDER_STATUSES, UNIT_STATES } from '../../orders/states.js';
import { ATTEMPT_STATES } from '../../support/attempt-view.js';

const Amount = (example: string, description?: string): PropertyDecorator =>
  ApiProperty({
    example,
    pattern: '^-?\\d+\\.\\d{2}$',
    ...(description && { description: `${description}, THB` }),
  });

const Optional = (example: string, description?: string): PropertyDecorator =>
  ApiPropertyOptional({ example, ...(description && { description }) });

const Failure = (): PropertyDecorator => Shown.nullableOneOf(FAILURE_CODES, null);

export class MerchantNameDto {
  @Shown.integer(7) id!: number;
  @Shown.text('Somchai Game Shop') name!: string;
}

export class ListedItemDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.integer(2) quantity!: number;
}

/** An order in a list. Operators who may not read players see only the last 3 characters of the player's ids. */
export class ListedOrderDto {
  @Shown.text('ord_Np3O7rcsqNmBTwD7') order_number!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('shop-10001') reference_id!: string;
  @Shown.flag(false, 'Whether a sandbox merchant placed the order: nothing real was bought, and no figure counts it')
  sandbox!: boolean;
  @Shown.text('…789') user_id!: string;
  @Shown.nullableText('2001', 'Game server') server_id!: string | null;
  @Shown.nullableText(null, 'Game character') character_id!: string | null;
  @Shown.oneOf(ORDER_STATUSES, 'processing') status!: string;
  @Amount('70.00') total_amount!: string;
  @ApiProperty({ type: [ListedItemDto] }) items!: ListedItemDto[];
  @Failure() failure_code!: string | null;
  @Shown.moment() created_at!: Date;
  @Shown.nullableMoment('Null while the order is open') ended_at!: Date | null;
}

export class DeskItemDto extends ListedItemDto {
  @Shown.integer(1, 'The item’s position in the order, from 1') item!: number;
  @Shown.oneOf(PRODUCT_KINDS, 'topup') kind!: string;
  @Shown.oneOf(ORDER_STATUSES, 'processing') status!: string;
  @Amount('35.00', 'What the merchant pays for a unit') unit_price!: string;
  @Amount('35.00', 'The list price of a unit when the order was placed') list_price!: string;
  @Shown.integer(1) completed_quantity!: number;
  @Shown.integer(0) failed_quantity!: number;
  @Failure() failure_code!: string | null;
  @Shown.nullableText(null) failure_message!: string | null;
}

export class DeskAttemptDto {
  @Shown.integer(1) number!: number;
  @Shown.text('acme') supplier!: string;
  @Shown.text('ML86') supplier_sku!: string;
  @Shown.text('ord_Np3O7rcsqNmBTwD7.1.1') reference!: string;
  @Shown.nullableText('A-5521') supplier_reference!: string | null;
  @Shown.oneOf(ATTEMPT_STATES, 'succeeded') state!: string;
  @Shown.nullableText(
    '23.5',
    'What the supplier charged; null where the supplier does not say, and for operators who may not see costs',
  )
  cost!: string | null;
  @Shown.nullableText('IDR') currency!: string | null;
  @Failure() failure_code!: string | null;
}

export class DeskUnitDto {
  @Shown.text('1.2', 'The item’s position in the order, and the unit’s in the item') unit!: string;
  @Shown.oneOf(UNIT_STATES, 'review') state!: string;
  @Shown.text('MLBB-86') sku!: string;
  @Amount('35.00', 'What the merchant pays for the unit') price!: string;
  @Shown.text('acme') supplier!: string;
  @Shown.text('ord_Np3O7rcsqNmBTwD7.1.2', 'Our reference, by which the supplier knows the unit') reference!: string;
  @Shown.nullableText('A-5521') supplier_reference!: string | null;
  @Failure() failure_code!: string | null;
  @Shown.nullableText(null) failure_message!: string | null;
  @Shown.integer(1, 'How often the unit was sent') sends!: number;
  @ApiProperty({ type: [DeskAttemptDto] }) attempts!: DeskAttemptDto[];
  @Shown.flag(true, 'Whether an operator can settle the unit: its state is `unknown` or `review`')
  can_resolve!: boolean;
  @Shown.flag(false, 'Whether an operator can cancel the unit: its state is `queued`') can_cancel!: boolean;
}

export class MovementDto {
  @Shown.text('4711') id!: string;
  @Shown.oneOf(['order_hold', 'order_spend', 'order_refund'], 'order_hold') kind!: string;
  @Amount('70.00') amount!: string;
  @Shown.nullableText(
    '1240.50',
    'The wallet’s available balance after the movement; null for operators who may not see wallets',
  )
  available_after!: string | null;
  @Shown.moment() created_at!: Date;
}

export class OrderMoneyDto {
  @Amount('0.00', 'Still held') held!: string;
  @Amount('35.00', 'Spent') spent!: string;
  @Amount('35.00', 'Returned') returned!: string;
  @ApiProperty({ type: [MovementDto] }) entries!: MovementDto[];
}

/** A better offer that could not be used. */
export class PassedOverDto {
  @Shown.text('beta') supplier!: string;
  @Shown.text('BETA-86') supplier_sku!: string;
  @ApiProperty({
    example: 'paused',
    enum: [...UNROUTABLE, 'once_per_day', 'player'],
    description:
      'Why the offer was not used. `once_per_day`: it sells one unit a day to a player; `player`: it is for other players',
  })
  why!: string;
}

export class EarlierAttemptDto {
  @Shown.oneOf(['failed', 'withdrawn'], 'failed') outcome!: string;
  @Optional('OUT_OF_STOCK') failure_code?: string;
}

/** An event of an order. Members that do not apply are absent. */
export class TimelineEntryDto {
  @Shown.moment() at!: Date;
  @ApiProperty({
    example: 'supplier.send',
    description:
      '`order.created`, `order.completed`, `order.failed`; `money.held`, `money.spent`, `money.returned`; ' +
      '`attempt.began`; `unit.claimed` while a process calls a supplier about the unit, `unit.review`, `unit.succeeded`, ' +
      '`unit.failed`; ' +
      '`supplier.send`, `supplier.inquiry`, `supplier.callback`, `supplier.taken_back`, ' +
      '`supplier.bought_late`, `supplier.unknown_purchase`; `event.` and the name of an event; `webhook.delivery` while a ' +
      'delivery waits for its first attempt, `webhook.attempt`; or an action of the audit log, such as `order.note`',
  })
  kind!: string;
  @Optional('1.2') unit?: string;
  @Optional('unknown') outcome?: string;
  @Shown.optionalInteger(120) duration_ms?: number;
  @Optional('worker@host:1-ab') process?: string;
  @Optional('35.00') amount?: string;
  @Optional('nok@example.com') operator?: string;
  @Optional('ticket 4711') reason?: string;
  @Optional('acme') supplier?: string;
  @Optional('timed out') detail?: string;
  @Shown.optionalInteger(2, 'The number of the attempt at the supplier, or of the delivery’s attempt')
  attempt?: number;
  @Optional('ML86') supplier_sku?: string;
  @Optional('ord_Np3O7rcsqNmBTwD7.1.2.2') reference?: string;
  @Optional('23', 'All costs are absent for operators who may not see costs') expected_cost?: string;
  @Optional('24.15', 'The most that the supplier was allowed to charge') max_cost?: string;
  @Optional('23.5', 'What the supplier charged') cost?: string;
  @Optional('IDR') currency?: string;
  @ApiPropertyOptional({ type: [PassedOverDto], description: 'Offers that came before the taken offer' })
  passed_over?: PassedOverDto[];
  @ApiPropertyOptional({ type: EarlierAttemptDto, description: 'How the unit’s attempt before this one ended' })
  after?: EarlierAttemptDto;
  @Optional(
    '1240.50',
    'The wallet’s available balance after the movement; absent for operators who may not see wallets',
  )
  available_after?: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When a claim ends by itself' }) until?: string;
  @Shown.optionalInteger(3) webhook_id?: number;
  @Shown.optionalInteger(4711) delivery_id?: number;
  @Shown.text('unknown after 10000 ms: timed out', 'The event in words') text!: string;
}

export class OrderDetailDto extends ListedOrderDto {
  @Amount('70.00') subtotal_amount!: string;
  @Amount('0.00') discount_amount!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { cart: 'c-8812' } })
  metadata!: Record<string, string>;
  @Shown.nullableText(null) failure_message!: string | null;
  @Shown.moment() updated_at!: Date;
  @ApiProperty({ type: [DeskItemDto] }) declare items: DeskItemDto[];
  @ApiProperty({ type: OrderMoneyDto }) money!: OrderMoneyDto;
  @ApiProperty({ type: [DeskUnitDto] }) units!: DeskUnitDto[];
  @ApiProperty({ type: [TimelineEntryDto], description: 'Oldest first' }) timeline!: TimelineEntryDto[];
}
