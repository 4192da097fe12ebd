import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { PRODUCT_KINDS, type ProductKind } from '../../core/product-kind.js';
import { Amount, Flag, Integer, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MAX_QUANTITY } from '../../catalog/product-definition.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { OfferDto } from './offer.dto.js';

/** A filter of products: a product must match every given member. */
export class ProductFilterDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU or of the name' }) q?: string;
  @Text(1, 128, { optional: true, description: 'With an offer of this supplier, by its code' }) supplier?: string;
  @OneOf(['true', 'false'], { optional: true, description: 'Whether it is on sale' }) active?: 'true' | 'false';
}

export class ProductsQueryDto extends IntersectionType(ProductFilterDto, ListQueryDto) {}

const HIDDEN = 'Null where it is not known, and to those who may not see costs';

export class ListedProductDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('Mobile Legends 86 diamonds') name!: string;
  @Shown.text('35.00', 'The list price of a piece, THB') price!: string;
  @Shown.flag('Whether it is on sale') active!: boolean;
  @Shown.oneOf(PRODUCT_KINDS) kind!: ProductKind;
  @Shown.flag() requires_server!: boolean;
  @Shown.flag() requires_character!: boolean;
  @Shown.integer(100) max_quantity!: number;
  @Shown.nullableText('acme', 'Where it is bought now, or would be; null without an offer') supplier!: string | null;
  @Shown.nullableText('ML86') supplier_sku!: string | null;
  @Shown.flag('Whether it can be bought anywhere now') routable!: boolean;
  @Shown.nullableText(null, 'Why its offer is not used') why_not!: string | null;
  @Shown.integer(2) offers!: number;
  @Shown.nullableText('31.20', HIDDEN) cost_baht!: string | null;
  @Shown.nullableText('IDR', 'Of the cost; without a rate of it, `cost_baht` is null') cost_currency!: string | null;
  @Shown.nullableText('3.80', HIDDEN) margin_baht!: string | null;
  @Shown.nullableInteger('Pieces of today’s orders; null when unknown') sold_today!: number | null;
  @Shown.nullableInteger() failed_today!: number | null;
  @Shown.moment() updated_at!: Date;
}

export class OwnPriceDto {
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('33.00', 'What this merchant pays') price!: string;
}

export class ProductDetailDto extends ListedProductDto {
  @Shown.nullableText('g2bulk:mlbb', 'Who is asked whether a player exists') player_check!: string | null;
  @Shown.moment() created_at!: Date;
  @ApiProperty({ type: [OfferDto], description: 'In the order in which they would be used now' })
  offer_list!: OfferDto[];
  @ApiProperty({ type: [OwnPriceDto], description: 'The first 100, by their merchants' }) own_prices!: OwnPriceDto[];
  @Shown.integer() own_price_count!: number;
}

export class SetProductDto {
  @Text(1, 128, { optional: true }) name?: string;
  @Amount({ optional: true, description: 'The list price of a piece, THB', example: '35.00' }) price?: string;
  @Text(1, 128, { optional: true, description: 'Of its offer of priority 1, by the supplier’s code' })
  supplier?: string;
  @Text(1, 128, { optional: true }) supplier_sku?: string;
  @Flag({ optional: true }) requires_server?: boolean;
  @Flag({ optional: true }) requires_character?: boolean;
  @Integer(1, MAX_QUANTITY, { optional: true }) max_quantity?: number;
  @Flag({ optional: true }) active?: boolean;
  @OneOf(PRODUCT_KINDS, { optional: true }) kind?: ProductKind;
  @Text(1, 128, { optional: true, nullable: true, description: 'Null asks nobody' }) player_check?: string | null;
  @Moment({
    optional: true,
    nullable: true,
    description: 'As it was shown; null, or left out, for a product that is added',
  })
  expected_updated_at?: string | null;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class DayOfSalesDto {
  @Shown.text('2026-11-22') day!: string;
  @Shown.integer() sold!: number;
  @Shown.integer() failed!: number;
  @Shown.text('3500.00', 'For what was sold, THB') revenue!: string;
}

export class ProductSalesDto {
  @Shown.text('Asia/Bangkok', 'In which the days begin') timezone!: string;
  @ApiProperty({ type: [DayOfSalesDto], description: 'By the day of the order; the last is today' })
  days!: DayOfSalesDto[];
}

export class MemberChangeDto {
  @Shown.text('price') member!: string;
  @Shown.nullableText('35.00', 'As text; null where there was nothing') old!: string | null;
  @Shown.nullableText('36.00') new!: string | null;
}

export class ProductActionDto {
  @Shown.text('4711') id!: string;
  @Shown.moment() at!: Date;
  @Shown.text('nok@shop.example') operator!: string;
  @Shown.text('product.set') action!: string;
  @Shown.nullableInteger('Whose own price it is') merchant_id!: number | null;
  @Shown.nullableText('acme', 'Whose offer it is') supplier!: string | null;
  @Shown.nullableText('prices.csv') file!: string | null;
  @Shown.nullableText('ticket 4711') reason!: string | null;
  @ApiProperty({ type: [MemberChangeDto] }) changes!: MemberChangeDto[];
}

export class ProductHistoryDto {
  @ApiProperty({ type: [ProductActionDto], description: 'The latest 50, newest first' }) data!: ProductActionDto[];
  @Shown.flag('Whether these are the caller’s own only') own_only!: boolean;
}
