import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import type { PageQuery } from '../../core/pagination.js';
import { PRODUCT_KINDS, type ProductKind } from '../../core/product-kind.js';
import { Amount, Flag, Integer, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MAX_QUANTITY } from '../../catalog/product-definition.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { OfferDto } from './offer.dto.js';

/** Which products are asked for; a product must match all of it. */
export class ProductFilterDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU or of the name' }) q?: string;
  @Text(1, 128, { optional: true, description: 'With an offer of this supplier, by its code' })
  supplier?: string;
  @OneOf(['true', 'false'], { optional: true, description: 'Whether it is on sale' })
  active?: 'true' | 'false';
}

export class ProductsQueryDto extends ProductFilterDto implements PageQuery {
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

const HIDDEN = 'Null where it is not known, and to those who may not see costs';

export class ListedProductDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends 86 diamonds' }) name!: string;
  @ApiProperty({ example: '35.00', description: 'The list price of a piece, THB' }) price!: string;
  @ApiProperty({ description: 'Whether it is on sale' }) active!: boolean;
  @ApiProperty({ enum: PRODUCT_KINDS }) kind!: ProductKind;
  @ApiProperty() requires_server!: boolean;
  @ApiProperty() requires_character!: boolean;
  @ApiProperty({ type: 'integer', example: 100 }) max_quantity!: number;
  @ApiNullableText('acme', 'Where it is bought now, or would be; null without an offer') supplier!: string | null;
  @ApiNullableText('ML86') supplier_sku!: string | null;
  @ApiProperty({ description: 'Whether it can be bought anywhere now' }) routable!: boolean;
  @ApiNullableText(null, 'Why its offer is not used') why_not!: string | null;
  @ApiProperty({ type: 'integer', example: 2 }) offers!: number;
  @ApiNullableText('31.20', HIDDEN) cost_baht!: string | null;
  @ApiNullableText('3.80', HIDDEN) margin_baht!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Pieces of today’s orders; null when unknown',
  })
  sold_today!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) failed_today!: number | null;
  @ApiMoment() updated_at!: string;
}

export class OwnPriceDto {
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ example: '33.00', description: 'What this merchant pays' }) price!: string;
}

export class ProductDetailDto extends ListedProductDto {
  @ApiNullableText('g2bulk:mlbb', 'Who is asked whether a player exists') player_check!: string | null;
  @ApiMoment() created_at!: string;
  @ApiProperty({ type: [OfferDto], description: 'In the order in which they would be used now' })
  offer_list!: OfferDto[];
  @ApiProperty({ type: [OwnPriceDto], description: 'The first 100, by their merchants' })
  own_prices!: OwnPriceDto[];
  @ApiProperty({ type: 'integer' }) own_price_count!: number;
}

export class SetProductDto {
  @Text(1, 128, { optional: true }) name?: string;
  @Amount({ optional: true, description: 'The list price of a piece, THB', example: '35.00' })
  price?: string;
  @Text(1, 128, { optional: true, description: 'Of its offer of priority 1, by the supplier’s code' })
  supplier?: string;
  @Text(1, 128, { optional: true }) supplier_sku?: string;
  @Flag({ optional: true }) requires_server?: boolean;
  @Flag({ optional: true }) requires_character?: boolean;
  @Integer(1, MAX_QUANTITY, { optional: true }) max_quantity?: number;
  @Flag({ optional: true }) active?: boolean;
  @OneOf(PRODUCT_KINDS, { optional: true }) kind?: ProductKind;
  @Text(1, 128, { optional: true, nullable: true, description: 'Null asks nobody' })
  player_check?: string | null;
  @Moment({
    optional: true,
    nullable: true,
    description: 'As it was shown; null, or left out, for a product that is added',
  })
  expected_updated_at?: string | null;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class DayOfSalesDto {
  @ApiProperty({ example: '2026-11-22' }) day!: string;
  @ApiProperty({ type: 'integer' }) sold!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
  @ApiProperty({ example: '3500.00', description: 'For what was sold, THB' }) revenue!: string;
}

export class ProductSalesDto {
  @ApiProperty({ example: 'Asia/Bangkok', description: 'In which the days begin' }) timezone!: string;
  @ApiProperty({ type: [DayOfSalesDto], description: 'By the day of the order; the last is today' })
  days!: DayOfSalesDto[];
}

export class MemberChangeDto {
  @ApiProperty({ example: 'price' }) member!: string;
  @ApiNullableText('35.00', 'As text; null where there was nothing') old!: string | null;
  @ApiNullableText('36.00') new!: string | null;
}

export class ProductActionDto {
  @ApiProperty({ example: '4711' }) id!: string;
  @ApiMoment() at!: string;
  @ApiProperty({ example: 'nok@shop.example' }) operator!: string;
  @ApiProperty({ example: 'product.set' }) action!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Whose own price it is' })
  merchant_id!: number | null;
  @ApiNullableText('acme', 'Whose offer it is') supplier!: string | null;
  @ApiNullableText('prices.csv') file!: string | null;
  @ApiNullableText('ticket 4711') reason!: string | null;
  @ApiProperty({ type: [MemberChangeDto] }) changes!: MemberChangeDto[];
}

export class ProductHistoryDto {
  @ApiProperty({ type: [ProductActionDto], description: 'The latest 50, newest first' })
  data!: ProductActionDto[];
  @ApiProperty({ description: 'Whether these are the caller’s own only' }) own_only!: boolean;
}
