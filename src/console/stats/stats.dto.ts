import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Moment, Text } from '../../core/validation/member.decorators.js';
import { MerchantNameDto } from '../orders/order.dto.js';

export class MinutesQueryDto {
  @Moment({ optional: true, description: 'A moment in the first step' }) from?: string;
  @Moment({ optional: true, description: 'A moment in the last step; now unless given' }) to?: string;
  @Text(1, 64, { optional: true, description: 'The code of a supplier: its calls instead of orders' })
  supplier?: string;
}

export class FiguresNowDto {
  @Shown.moment() at!: string;
  @Shown.number(41.4, 'Orders placed, over the last 5 minutes') orders_per_minute!: number;
  @Shown.nullableNumber(
    0.021,
    'The share of failed orders among the orders that ended within the hour; null when none ended',
  )
  failed_share!: number | null;
  @Shown.nullableNumber(3, 'Orders that have not ended') orders_open!: number | null;
  @Shown.nullableNumber(3, 'The age of the oldest open order') orders_oldest_open_seconds!: number | null;
  @Shown.nullableNumber(3, 'Units in doubt') units_unknown!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest unit in doubt has been in doubt') units_unknown_oldest_seconds!:
    number | null;
  @Shown.nullableNumber(3, 'Units in review') units_review!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest unit in review has waited') units_review_oldest_seconds!: number | null;
  @Shown.nullableNumber(3, 'Webhook deliveries that are due and not begun') webhooks_due!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest due delivery has been due') webhooks_oldest_due_seconds!: number | null;
  @Shown.nullableNumber(3, 'Merchants whose available balance is below their alert') wallets_below_alert!:
    number | null;
  @Shown.nullableNumber(3, 'Open discrepancies') supplier_reversals_open!: number | null;
  @Shown.nullableNumber(
    3600,
    'The time since the last backup was completed; without one, since the first attempt; null if none was attempted',
  )
  backup_age_seconds!: number | null;
}

const ApiValues = (): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { type: 'number', nullable: true },
    example: [3, null, 5],
    description: 'One value for each step; null where the value is not known',
  });

export class SeriesDto {
  @Shown.text('orders_placed') name!: string;
  @ApiValues() values!: (number | null)[];
}

export class DurationsDto {
  @Shown.text('send') name!: string;
  @ApiValues() p50_ms!: (number | null)[];
  @ApiValues() p95_ms!: (number | null)[];
}

export class FiguresOverTimeDto {
  @Shown.integer(60) step_seconds!: number;
  @ApiProperty({ type: [String], example: ['2026-01-15T08:30:00.000Z'], description: 'When each step begins' })
  at!: string[];
  @ApiProperty({
    type: [SeriesDto],
    description:
      'The counts of each step: `orders_placed`, `orders_completed`, `orders_failed`, `webhooks_delivered`, `webhooks_failed`. For a supplier: its calls by outcome',
  })
  counts!: SeriesDto[];
  @ApiProperty({
    type: [SeriesDto],
    description: 'The highest values of each step, with the names that the figures of this moment have',
  })
  levels!: SeriesDto[];
  @ApiProperty({ type: [DurationsDto], description: '`orders`. For a supplier: `send` and `inquiry`' })
  durations!: DurationsDto[];
}

class SalesDto {
  @Shown.text('12500.00', 'The price of units that were paid for, THB') sales!: string;
  @Shown.nullableText(
    '830.50',
    'The margin of the sales with a known cost, THB; null for operators who may not see costs',
  )
  margin!: string | null;
  @Shown.nullableNumber(7.1, 'The margin in percent of the sales with a known cost') margin_percent!: number | null;
  @Shown.nullableText('120.00', 'Sales without a known cost, THB') sales_without_cost!: string | null;
}

export class BusinessDayDto extends SalesDto {
  @Shown.moment() from!: Date;
  @Shown.moment() until!: Date;
  @Shown.integer(412, 'Orders placed') orders!: number;
  @Shown.nullableNumber(0.021, 'The share of failed orders among the orders that ended; null when none ended')
  failed_share!: number | null;
  @Shown.integer(2, 'Merchants that placed their first order') first_orders!: number;
  @ApiProperty({
    type: [String],
    example: ['310.00'],
    description: 'The sales of each hour. The hours of an earlier day go up to the end of that day',
  })
  hours!: string[];
}

export class BestProductDto extends SalesDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('Mobile Legends 86 diamonds') name!: string;
  @Shown.integer(31) units!: number;
}

export class BusinessDto {
  @ApiProperty({ type: BusinessDayDto }) today!: BusinessDayDto;
  @ApiProperty({ type: BusinessDayDto }) yesterday!: BusinessDayDto;
  @ApiProperty({ type: BusinessDayDto, description: 'The same weekday a week ago' }) week_before!: BusinessDayDto;
  @ApiProperty({ type: [BestProductDto], description: 'The products of today, the highest sales first' })
  best_products!: BestProductDto[];
  @ApiProperty({ type: [MerchantNameDto], description: 'Merchants that placed their first order today' })
  new_merchants!: MerchantNameDto[];
}
