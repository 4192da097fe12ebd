import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Moment, Text } from '../../core/validation/member.decorators.js';
import { MerchantNameDto } from '../orders/order.dto.js';

export class MinutesQueryDto {
  @Moment({ optional: true, description: 'From the step that this is in' }) from?: string;
  @Moment({ optional: true, description: 'Until the step that this is in, included; now unless given' }) to?: string;
  @Text(1, 64, { optional: true, description: 'The calls of this supplier, by its code, instead of orders' })
  supplier?: string;
}

export class FiguresNowDto {
  @Shown.moment() at!: string;
  @Shown.number(41.4, 'Orders placed, over the last 5 minutes') orders_per_minute!: number;
  @Shown.nullableNumber(0.021, 'Of the orders that ended within the hour, those that failed; null when none ended')
  failed_share!: number | null;
  @Shown.nullableNumber(3, 'Orders that have not ended') orders_open!: number | null;
  @Shown.nullableNumber(3, 'Age of the oldest of them') orders_oldest_open_seconds!: number | null;
  @Shown.nullableNumber(3, 'Units in doubt') units_unknown!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest of them is in doubt') units_unknown_oldest_seconds!: number | null;
  @Shown.nullableNumber(3, 'Units in review') units_review!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest of them waits') units_review_oldest_seconds!: number | null;
  @Shown.nullableNumber(3, 'Webhook deliveries that are due and not begun') webhooks_due!: number | null;
  @Shown.nullableNumber(3, 'How long the oldest of them is due') webhooks_oldest_due_seconds!: number | null;
  @Shown.nullableNumber(3, 'Merchants whose available balance is below their alert') wallets_below_alert!:
    number | null;
  @Shown.nullableNumber(3, 'Cases in which a supplier contradicts how a unit was settled') supplier_reversals_open!:
    number | null;
}

const ApiValues = (): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { type: 'number', nullable: true },
    example: [3, null, 5],
    description: 'One for each step; null where it is not known',
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
      'What was counted in each step: `orders_placed`, `orders_completed`, `orders_failed`, `webhooks_delivered`, `webhooks_failed`; of a supplier, its calls by their outcome',
  })
  counts!: SeriesDto[];
  @ApiProperty({ type: [SeriesDto], description: 'The highest of each step, by the names of what is now' })
  levels!: SeriesDto[];
  @ApiProperty({ type: [DurationsDto], description: '`orders`; of a supplier, `send` and `inquiry`' })
  durations!: DurationsDto[];
}

class SalesDto {
  @Shown.text('12500.00', 'The price of units that were paid for, THB') sales!: string;
  @Shown.nullableText('830.50', 'Of sales with a known cost; null to those who may not see costs') margin!:
    string | null;
  @Shown.nullableNumber(7.1, 'In percent of those sales') margin_percent!: number | null;
  @Shown.nullableText('120.00', 'Sales without a known cost, THB') sales_without_cost!: string | null;
}

export class BusinessDayDto extends SalesDto {
  @Shown.moment() from!: Date;
  @Shown.moment() until!: Date;
  @Shown.integer(412, 'Orders placed') orders!: number;
  @Shown.nullableNumber(0.021, 'Of the orders that ended, those that failed; null when none ended')
  failed_share!: number | null;
  @Shown.integer(2, 'Merchants that placed their first order') first_orders!: number;
  @ApiProperty({
    type: [String],
    example: ['310.00'],
    description: 'Sales of each hour; of an earlier day up to its end',
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
  @ApiProperty({ type: BusinessDayDto, description: 'The same weekday' }) week_before!: BusinessDayDto;
  @ApiProperty({ type: [BestProductDto], description: 'Of today, the highest sales first' })
  best_products!: BestProductDto[];
  @ApiProperty({ type: [MerchantNameDto], description: 'Merchants with their first order today' })
  new_merchants!: MerchantNameDto[];
}
