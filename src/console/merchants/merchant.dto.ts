import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Flag, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MERCHANT_STATUSES, type MerchantStatus } from '../../merchants/merchant.entity.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';

export class MerchantsQueryDto extends ListQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the name, or the id' }) q?: string;
  @OneOf(MERCHANT_STATUSES, { optional: true }) status?: MerchantStatus;
  @OneOf(['true', 'false'], { optional: true, description: 'Only those of the sandbox, or only the others' }) sandbox?:
    'true' | 'false';
  @OneOf(['true'], { optional: true, description: 'Only those below their alert' }) low?: 'true';
}

export class NewMerchantDto {
  @Text(1, 128, { example: 'Somchai Game Shop' }) name!: string;
  @Flag({ optional: true, description: 'Whether it tries the service out: it can’t be changed later' })
  sandbox?: boolean;
}

export class ReasonDto {
  @Text(1, 500, { description: 'For the log', example: 'its key was published' }) reason!: string;
}

export class MerchantWalletDto {
  @Shown.text('9930.00', 'Orders are paid from it, THB') available_amount!: string;
  @Shown.text('70.00', 'Held for open orders, THB') held_amount!: string;
  @Shown.nullableText('500.00', 'Below it, the merchant is notified') alert_below!: string | null;
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
  @Shown.flag(false, 'Whether nothing that it orders is bought') sandbox!: boolean;
  @Shown.integer(1, 'Its share of suppliers’ slots, compared with the weights of other merchants') weight!: number;
  @Shown.moment() created_at!: Date;
  @ApiProperty({ type: MerchantTodayDto, description: 'Since the day began where the operator is' })
  today!: MerchantTodayDto;
  @Shown.nullableMoment() last_order_at!: Date | null;
  @ApiProperty({ type: MerchantWalletDto, nullable: true, description: 'Null to those who may not see wallets' })
  wallet!: MerchantWalletDto | null;
}

export class OrdersOfDayDto {
  @Shown.text('2026-11-23') day!: string;
  @Shown.integer(120) orders!: number;
  @Shown.integer(3) failed!: number;
}

export class MerchantDaysDto {
  @ApiProperty({ type: [OrdersOfDayDto], description: 'Thirty of them, oldest first' }) data!: OrdersOfDayDto[];
}
