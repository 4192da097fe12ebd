import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { PRODUCT_KINDS, type ProductKind } from '../../core/product-kind.js';
import { Amount, Flag, Integer, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MAX_QUANTITY } from '../../catalog/product-definition.js';
import { AnyText } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { Reason } from '../reason.dto.js';
import { OfferDto, UNKNOWN_OR_HIDDEN } from './offer.dto.js';

/** A filter of products: a product must match every given member. */
export class ProductFilterDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU or of the name' }) q?: string;
  @AnyText(128, 'The code of a supplier: products with an offer of the supplier') supplier?: string;
  @OneOf(['true', 'false'], { optional: true, description: 'Whether the product is on sale' }) active?:
    'true' | 'false';
}

export class ProductsQueryDto extends IntersectionType(ProductFilterDto, ListQueryDto) {}

export class ProductNameDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('Mobile Legends 86 diamonds') name!: string;
}

export class ListedProductDto extends ProductNameDto {
  @Shown.text('35.00', 'The list price of one unit, THB') price!: string;
  @Shown.flag('Whether the product is on sale') active!: boolean;
  @Shown.oneOf(PRODUCT_KINDS) kind!: ProductKind;
  @Shown.flag() requires_server!: boolean;
  @Shown.flag() requires_character!: boolean;
  @Shown.integer(100) max_quantity!: number;
  @Shown.nullableText(
    'acme',
    'The supplier of the offer in use. If no offer can be used, the supplier of the first active offer; without an active offer, of the first offer. Null without offers',
  )
  supplier!: string | null;
  @Shown.nullableText('ML86') supplier_sku!: string | null;
  @Shown.flag('Whether any offer can be used now') routable!: boolean;
  @Shown.nullableText(null, 'Why that offer can’t be used; null if one can') why_not!: string | null;
  @Shown.integer(2) offers!: number;
  @Shown.nullableText('31.20', UNKNOWN_OR_HIDDEN) cost_baht!: string | null;
  @Shown.nullableText('IDR', 'The currency of the cost; without an exchange rate, `cost_baht` is null') cost_currency!:
    string | null;
  @Shown.nullableText('3.80', UNKNOWN_OR_HIDDEN) margin_baht!: string | null;
  @Shown.nullableInteger('Units of today’s orders that succeeded; null if unknown') sold_today!: number | null;
  @Shown.nullableInteger() failed_today!: number | null;
  @Shown.moment() updated_at!: Date;
}

export class OwnPriceDto {
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('33.00', 'The price that this merchant pays') price!: string;
}

export class ProductDetailDto extends ListedProductDto {
  @Shown.nullableText('g2bulk:mlbb', 'The validator that checks whether a player exists') player_check!: string | null;
  @Shown.moment() created_at!: Date;
  @ApiProperty({ type: [OfferDto], description: 'Sorted as routing tries the offers now' })
  offer_list!: OfferDto[];
  @ApiProperty({ type: [OwnPriceDto], description: 'The first 100, sorted by merchant' }) own_prices!: OwnPriceDto[];
  @Shown.integer() own_price_count!: number;
}

export class SetProductDto {
  @Text(1, 128, { optional: true }) name?: string;
  @Amount({ optional: true, description: 'The list price of one unit, THB', example: '35.00' }) price?: string;
  @Text(1, 128, { optional: true, description: 'The code of the supplier of the first offer' })
  supplier?: string;
  @Text(1, 128, {
    optional: true,
    description:
      'The supplier’s SKU. Required if `supplier` changes, unless the product’s present supplier SKU equals its own SKU',
  })
  supplier_sku?: string;
  @Flag({ optional: true }) requires_server?: boolean;
  @Flag({ optional: true }) requires_character?: boolean;
  @Integer(1, MAX_QUANTITY, { optional: true }) max_quantity?: number;
  @Flag({ optional: true }) active?: boolean;
  @OneOf(PRODUCT_KINDS, { optional: true }) kind?: ProductKind;
  @Text(1, 128, { optional: true, nullable: true, description: 'Null for no check of players' }) player_check?:
    string | null;
  @Moment({
    optional: true,
    nullable: true,
    description: 'The `updated_at` that the page showed; null or absent for a new product',
  })
  expected_updated_at?: string | null;
  @Reason({ optional: true }) reason?: string;
}

export class DayOfSalesDto {
  @Shown.text('2026-11-22') day!: string;
  @Shown.integer() sold!: number;
  @Shown.integer() failed!: number;
  @Shown.text('3500.00', 'The price of the sold units, THB') revenue!: string;
}

export class ProductSalesDto {
  @Shown.text('Asia/Bangkok', 'The time zone of the days') timezone!: string;
  @ApiProperty({ type: [DayOfSalesDto], description: 'By the day of the order; the last day is today' })
  days!: DayOfSalesDto[];
}

export class MemberChangeDto {
  @Shown.text('price') member!: string;
  @Shown.nullableText('35.00', 'As text; null if there was no value') old!: string | null;
  @Shown.nullableText('36.00') new!: string | null;
}

export class ProductActionDto {
  @Shown.text('4711') id!: string;
  @Shown.moment() at!: Date;
  @Shown.text('nok@shop.example') operator!: string;
  @Shown.text('product.set') action!: string;
  @Shown.nullableInteger('The merchant whose price changed; null if the product changed') merchant_id!: number | null;
  @Shown.nullableText('acme', 'The supplier of an offer') supplier!: string | null;
  @Shown.nullableText('prices.csv') file!: string | null;
  @Shown.nullableText('ticket 4711') reason!: string | null;
  @ApiProperty({ type: [MemberChangeDto] }) changes!: MemberChangeDto[];
}

export class ProductHistoryDto {
  @ApiProperty({
    type: [ProductActionDto],
    description:
      'The latest 50 actions, newest first. An action that changed prices of several merchants is there for each',
  })
  data!: ProductActionDto[];
  @Shown.flag('Whether these are only the caller’s own actions') own_only!: boolean;
}
