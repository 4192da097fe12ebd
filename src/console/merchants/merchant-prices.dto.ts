import { Shown } from '../../core/http/answer.decorators.js';
import { Amount, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ProductNameDto } from '../catalog/product.dto.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';

const SEEN = {
  optional: true,
  example: '31.50',
  description: 'The own price that the page showed, or `none`. 409 CHANGED_MEANWHILE if the present own price differs',
};

export class PricesQueryDto extends ListQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU or of the name' }) q?: string;
  @OneOf(['true'], { optional: true, description: 'Only products with an own price of the merchant' }) own?: 'true';
}

export class SetPriceDto {
  @Amount({ example: '31.50', description: 'THB, at most the list price' }) price!: string;
  @Text(1, 20, SEEN) expected_price?: string;
}

export class ClearPriceDto {
  @Text(1, 20, SEEN) expected_price?: string;
}

export class MerchantPriceDto extends ProductNameDto {
  @Shown.flag(true, 'Whether the product is on sale') is_active!: boolean;
  @Shown.text('35.00', 'THB') list_price!: string;
  @Shown.nullableText('31.50', 'Null if the merchant has no own price') own_price!: string | null;
  @Shown.text('31.50', 'The price that the merchant pays: the lower of the two') price!: string;
  @Shown.text('3.50', 'The list price minus the merchant’s price') discount!: string;
  @Shown.nullableText(
    '29.00',
    'The cost at the offer in use, THB. Null if it is unknown, and for operators who may not see costs',
  )
  cost!: string | null;
  @Shown.nullableText('2.50', 'The price minus the cost; negative for a loss')
  margin!: string | null;
}
