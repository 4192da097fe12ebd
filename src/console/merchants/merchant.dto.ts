import { ApiProperty } from '@nestjs/swagger';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import { ApiMoment } from '../../core/http/answer.decorators.js';
import type { PageQuery } from '../../core/pagination.js';
import { OneOf, Text } from '../../core/validation/member.decorators.js';
import { MERCHANT_STATUSES, type MerchantStatus } from '../../merchants/merchant.entity.js';
import { CONSOLE_LIMIT } from '../desk/order-queries.dto.js';

export class MerchantsQueryDto implements PageQuery {
  @Text(1, 128, { optional: true, description: 'A part of the name, or the id' }) q?: string;
  @OneOf(MERCHANT_STATUSES, { optional: true }) status?: MerchantStatus;
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class StatementQueryDto implements PageQuery {
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
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

export class ConsoleMerchantDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ example: 'Somchai Game Shop' }) name!: string;
  @ApiProperty({ enum: MERCHANT_STATUSES, example: 'active' }) status!: MerchantStatus;
  @ApiMoment() created_at!: string;
  @ApiProperty({
    type: MerchantWalletDto,
    nullable: true,
    description: 'Null to those who may not see wallets',
  })
  wallet!: MerchantWalletDto | null;
}
