import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { ProductNameDto } from '../catalog/product.dto.js';
import { ListedOrderDto, MerchantNameDto } from './order.dto.js';

export class LastCallDto {
  @Shown.oneOf(['send', 'inquiry', 'callback'], 'inquiry') kind!: string;
  @Shown.text('unknown') outcome!: string;
  @Shown.nullableText('timed out') detail!: string | null;
  @Shown.moment() at!: Date;
}

export class ClaimDto {
  @Shown.text('Nok') by!: string;
  @Shown.flag(true, 'Whether the caller made the claim') is_mine!: boolean;
  @Shown.moment() until!: Date;
}

export class ReviewUnitDto {
  @Shown.text('ord_Np3O7rcsqNmBTwD7') order_number!: string;
  @Shown.text('1.2') unit!: string;
  @Shown.oneOf(['review', 'unknown'], 'review') state!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('shop-10001') reference_id!: string;
  @Shown.text('acme') supplier!: string;
  @Shown.text('ord_Np3O7rcsqNmBTwD7.1.2') reference!: string;
  @Shown.nullableText('A-5521') supplier_reference!: string | null;
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('35.00', 'What the merchant pays for the unit, THB') amount!: string;
  @Shown.nullableMoment('In doubt since') since!: Date | null;
  @Shown.integer(1, 'The number of the unit’s latest attempt') attempt!: number;
  @Shown.integer(1, 'How often the unit was sent') sends!: number;
  @Shown.integer(12, 'How many inquiries there were about the unit') inquiries!: number;
  @ApiProperty({ type: LastCallDto, nullable: true }) last_call!: LastCallDto | null;
  @ApiProperty({ type: ClaimDto, nullable: true, description: 'The operator who looks after the unit' })
  claim!: ClaimDto | null;
}

export class ClaimedDto {
  @Shown.nullableMoment('Until when the claim is valid; null after its end') until!: Date | null;
}

export class FoundOrderDto extends ListedOrderDto {
  @Shown.oneOf(
    ['number', 'reference', 'player', 'supplier_reference', 'event', 'delivery'],
    'reference',
    'Which member of the order the term matches',
  )
  found_as!: string;
}

/** At most five of each kind. */
export class FoundDto {
  @ApiProperty({ type: [FoundOrderDto] }) orders!: FoundOrderDto[];
  @ApiProperty({ type: [MerchantNameDto] }) merchants!: MerchantNameDto[];
  @ApiProperty({ type: [ProductNameDto] }) products!: ProductNameDto[];
}
