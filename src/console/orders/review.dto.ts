import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { MerchantNameDto } from './order.dto.js';

export class LastCallDto {
  @ApiProperty({ enum: ['send', 'inquiry', 'callback'], example: 'inquiry' }) kind!: string;
  @ApiProperty({ example: 'unknown' }) outcome!: string;
  @ApiNullableText('timed out') detail!: string | null;
  @ApiMoment() at!: string;
}

export class ClaimDto {
  @ApiProperty({ example: 'Nok' }) by!: string;
  @ApiProperty({ example: true, description: 'Whether it is mine' }) is_mine!: boolean;
  @ApiMoment() until!: string;
}

export class ReviewUnitDto {
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @ApiProperty({ example: '1.2' }) unit!: string;
  @ApiProperty({ enum: ['review', 'unknown'], example: 'review' }) state!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ example: 'shop-10001' }) reference_id!: string;
  @ApiProperty({ example: 'acme' }) supplier!: string;
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7.1.2' }) reference!: string;
  @ApiNullableText('A-5521') supplier_reference!: string | null;
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: '35.00', description: 'What the merchant pays for it, THB' }) amount!: string;
  @ApiMoment({ nullable: true, description: 'In doubt since' }) since!: string | null;
  @ApiProperty({ type: 'integer', example: 1, description: 'How often it was sent' }) sends!: number;
  @ApiProperty({ type: 'integer', example: 12, description: 'How often its supplier was asked' })
  inquiries!: number;
  @ApiProperty({ type: LastCallDto, nullable: true }) last_call!: LastCallDto | null;
  @ApiProperty({ type: ClaimDto, nullable: true, description: 'Who looks after it' }) claim!: ClaimDto | null;
}

export class ClaimedDto {
  @ApiMoment({ nullable: true, description: 'Null when it was given back' }) until!: string | null;
}

export class FoundOrderDto {
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @ApiProperty({
    enum: ['number', 'reference', 'player', 'supplier_reference', 'event', 'delivery'],
    example: 'reference',
    description: 'As what the term was found',
  })
  found_as!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ example: 'shop-10001' }) reference_id!: string;
  @ApiProperty({ example: 'completed' }) status!: string;
  @ApiProperty({ example: '70.00' }) total_amount!: string;
  @ApiMoment() created_at!: string;
}

export class FoundProductDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends 86 diamonds' }) name!: string;
}

/** At most five of each kind. */
export class FoundDto {
  @ApiProperty({ type: [FoundOrderDto] }) orders!: FoundOrderDto[];
  @ApiProperty({ type: [MerchantNameDto] }) merchants!: MerchantNameDto[];
  @ApiProperty({ type: [FoundProductDto] }) products!: FoundProductDto[];
}
