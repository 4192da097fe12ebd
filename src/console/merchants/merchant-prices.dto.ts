import { ApiProperty } from '@nestjs/swagger';
import { ApiNullableText } from '../../core/http/answer.decorators.js';
import { Amount, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ListQueryDto } from './merchant.dto.js';

const SEEN = {
  optional: true,
  example: '31.50',
  description:
    'The own price when this was decided, `none` where there was none: 409 CHANGED_MEANWHILE when it is not any more',
};

export class PricesQueryDto extends ListQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU or of the name' }) q?: string;
  @OneOf(['true'], { optional: true, description: 'Only those with a price of its own' }) own?: 'true';
}

export class SetPriceDto {
  @Amount({ example: '31.50', description: 'THB, at most the list price' }) price!: string;
  @Text(1, 20, SEEN) expected_price?: string;
}

export class ClearPriceDto {
  @Text(1, 20, SEEN) expected_price?: string;
}

export class MerchantPriceDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends 86 diamonds' }) name!: string;
  @ApiProperty({ example: true, description: 'Whether it is sold at present' }) is_active!: boolean;
  @ApiProperty({ example: '35.00', description: 'THB' }) list_price!: string;
  @ApiNullableText('31.50', 'Null where the list price holds') own_price!: string | null;
  @ApiProperty({ example: '31.50', description: 'What the merchant pays: the lower of both' }) price!: string;
  @ApiProperty({ example: '3.50', description: 'Below the list price' }) discount!: string;
  @ApiNullableText(
    '29.00',
    'Of the offer that would be bought from now, THB. Null where it is not known, and to those who may not see costs',
  )
  cost!: string | null;
  @ApiNullableText('2.50', 'What is left above the cost; below nothing where it is sold at a loss')
  margin!: string | null;
}
