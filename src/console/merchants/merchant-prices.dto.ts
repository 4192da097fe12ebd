import { Shown } from '../../core/http/answer.decorators.js';
import { Amount, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';

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
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('Mobile Legends 86 diamonds') name!: string;
  @Shown.flag(true, 'Whether it is sold at present') is_active!: boolean;
  @Shown.text('35.00', 'THB') list_price!: string;
  @Shown.nullableText('31.50', 'Null where the list price holds') own_price!: string | null;
  @Shown.text('31.50', 'What the merchant pays: the lower of both') price!: string;
  @Shown.text('3.50', 'Below the list price') discount!: string;
  @Shown.nullableText(
    '29.00',
    'Of the offer that would be bought from now, THB. Null where it is not known, and to those who may not see costs',
  )
  cost!: string | null;
  @Shown.nullableText('2.50', 'What is left above the cost; below nothing where it is sold at a loss')
  margin!: string | null;
}
