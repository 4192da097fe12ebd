import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Flag, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MERCHANT_STATUSES, type MerchantStatus } from '../../merchants/merchant.entity.js';
import { AnyOf } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';

export class MerchantsQueryDto extends ListQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the name, or the id' }) q?: string;
  @AnyOf(MERCHANT_STATUSES, 'The status') status?: string;
  @OneOf(['true', 'false'], { optional: true, description: 'Only merchants of the sandbox, or only live merchants' })
  sandbox?: 'true' | 'false';
  @OneOf(['true'], { optional: true, description: 'Only merchants whose balance is below their alert' }) low?: 'true';
}

export class NewMerchantDto {
  @Text(1, 128, { example: 'Somchai Game Shop' }) name!: string;
  @Flag({ optional: true, description: 'Whether the merchant is in the sandbox. This can’t be changed later' })
  sandbox?: boolean;
}

export class MerchantWalletDto {
  @Shown.text('9930.00', 'The balance for new orders, THB') available_amount!: string;
  @Shown.text('70.00', 'Held for open orders, THB') held_amount!: string;
  @Shown.nullableText('500.00', 'If the available balance falls below this amount, the merchant is notified')
  alert_below!: string | null;
  @Shown.flag(false, 'Whether the available balance is below the alert') is_low!: boolean;
  @Shown.moment() updated_at!: Date;
}

export class MerchantTodayDto {
  @Shown.integer(120) orders!: number;
  @Shown.integer(3) failed!: number;
}

export class ConsoleMerchantDto {
  @Shown.integer(7) id!: number;
  @Shown.text('Somchai Game Shop') name!: string;
  @Shown.oneOf(MERCHANT_STATUSES, 'active') status!: MerchantStatus;
  @Shown.flag(false, 'Whether the merchant is in the sandbox: its orders buy nothing') sandbox!: boolean;
  @Shown.integer(1, 'The slots of suppliers that it gets in each turn, compared with the weights of other merchants')
  weight!: number;
  @Shown.moment() created_at!: Date;
  @ApiProperty({ type: MerchantTodayDto, description: 'Today’s orders, in the operator’s time zone' })
  today!: MerchantTodayDto;
  @Shown.nullableMoment() last_order_at!: Date | null;
  @ApiProperty({ type: MerchantWalletDto, nullable: true, description: 'Null for operators who may not see wallets' })
  wallet!: MerchantWalletDto | null;
}

export class OrdersOfDayDto extends MerchantTodayDto {
  @Shown.text('2026-11-23') day!: string;
}

export class MerchantDaysDto {
  @ApiProperty({ type: [OrdersOfDayDto], description: 'Thirty days, oldest first' }) data!: OrdersOfDayDto[];
}
