import { ApiProperty } from '@nestjs/swagger';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import { ApiMoment } from '../../core/http/answer.decorators.js';
import type { PageQuery } from '../../core/pagination.js';
import { Flag, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MERCHANT_STATUSES, type MerchantStatus } from '../../merchants/merchant.entity.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';

export const YES_NO = ['true', 'false'] as const;
export type YesNo = (typeof YES_NO)[number];

export class ListQueryDto implements PageQuery {
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class MerchantsQueryDto extends ListQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the name, or the id' }) q?: string;
  @OneOf(MERCHANT_STATUSES, { optional: true }) status?: MerchantStatus;
  @OneOf(YES_NO, { optional: true, description: 'Only those of the sandbox, or only the others' })
  sandbox?: YesNo;
  @OneOf(['true'], { optional: true, description: 'Only those below their alert' }) low?: 'true';
}

export class NewMerchantDto {
  @Text(1, 128, { example: 'Somchai Game Shop' }) name!: string;
  @Flag({ optional: true, description: 'Whether it tries the service out: it can’t be changed later' })
  sandbox?: boolean;
}

export const ReasonText = (): PropertyDecorator =>
  Text(1, 500, { description: 'For the log', example: 'its key was published' });

export class ReasonDto {
  @ReasonText() reason!: string;
}

export class MerchantWalletDto {
  @ApiProperty({ example: '9930.00', description: 'Orders are paid from it, THB' }) available_amount!: string;
  @ApiProperty({ example: '70.00', description: 'Held for open orders, THB' }) held_amount!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '500.00',
    description: 'The merchant is told below it',
  })
  alert_below!: string | null;
  @ApiProperty({ example: false, description: 'Whether the available balance is below the alert' })
  is_low!: boolean;
  @ApiMoment() updated_at!: string;
}

export class MerchantTodayDto {
  @ApiProperty({ type: 'integer', example: 120 }) orders!: number;
  @ApiProperty({ type: 'integer', example: 3 }) failed!: number;
}

export class ConsoleMerchantDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ example: 'Somchai Game Shop' }) name!: string;
  @ApiProperty({ enum: MERCHANT_STATUSES, example: 'active' }) status!: MerchantStatus;
  @ApiProperty({ example: false, description: 'Whether nothing that it orders is bought' }) sandbox!: boolean;
  @ApiMoment() created_at!: string;
  @ApiProperty({ type: MerchantTodayDto, description: 'Since the day began where the operator is' })
  today!: MerchantTodayDto;
  @ApiMoment({ nullable: true }) last_order_at!: string | null;
  @ApiProperty({
    type: MerchantWalletDto,
    nullable: true,
    description: 'Null to those who may not see wallets',
  })
  wallet!: MerchantWalletDto | null;
}

export class OrdersOfDayDto {
  @ApiProperty({ example: '2026-11-23' }) day!: string;
  @ApiProperty({ type: 'integer', example: 120 }) orders!: number;
  @ApiProperty({ type: 'integer', example: 3 }) failed!: number;
}

export class MerchantDaysDto {
  @ApiProperty({ type: [OrdersOfDayDto], description: 'Thirty of them, oldest first' })
  data!: OrdersOfDayDto[];
}
