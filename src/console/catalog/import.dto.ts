import { ApiProperty } from '@nestjs/swagger';
import { ApiNullableText } from '../../core/http/answer.decorators.js';
import { parsePercentage } from '../../core/money.js';
import { OneOf, Text, TextThat } from '../../core/validation/member.decorators.js';
import { MemberChangeDto, ProductFilterDto } from './product.dto.js';

export class CsvProblemDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null where it is about the whole file' })
  line!: number | null;
  @ApiNullableText('price') column!: string | null;
  @ApiProperty({ example: 'price must be an amount in baht such as 35.00, not "abc"' }) words!: string;
}

export class ProductChangeDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ enum: ['added', 'changed'] }) change!: 'added' | 'changed';
  @ApiProperty({ type: [MemberChangeDto], description: 'What is not the same any more' })
  changes!: MemberChangeDto[];
  @ApiProperty({
    type: Number,
    nullable: true,
    example: -22.5,
    description: 'By how much the price moves, in percent; null where it does not, or was 0',
  })
  price_moves_percent!: number | null;
  @ApiProperty({ description: 'Whether its price is below what it costs us now' }) below_cost!: boolean;
}

/** What an import would do. */
export class ImportPreviewDto {
  @ApiProperty({ description: 'Names exactly these changes: the import must name it' }) version!: string;
  @ApiProperty({ type: 'integer' }) added!: number;
  @ApiProperty({ type: 'integer' }) changed!: number;
  @ApiProperty({ type: 'integer' }) unchanged!: number;
  @ApiProperty({
    type: [CsvProblemDto],
    description:
      'Nothing is imported while there is any. After 500 comes one more, which says that there may be others',
  })
  problems!: CsvProblemDto[];
  @ApiProperty({ type: 'integer' }) problem_count!: number;
}

export class ProductImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({
    type: [ProductChangeDto],
    description: 'Prices that move by more than 20 % first, the farthest on top. The first 2,000',
  })
  changes!: ProductChangeDto[];
  @ApiProperty({ type: 'integer', description: 'Prices that move by more than 20 %' }) moved_far!: number;
  @ApiProperty({ type: 'integer', description: 'Products whose price would be below what they cost us now' })
  below_cost!: number;
}

export class PriceChangeDto {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Whose own price it is; null for a list price',
  })
  merchant_id!: number | null;
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiNullableText('35.00', 'Null where there was none') old!: string | null;
  @ApiNullableText('33.00', 'Null where there is none any more') new!: string | null;
  @ApiProperty({ type: Number, nullable: true, example: -5.71 }) price_moves_percent!: number | null;
  @ApiNullableText('31.20', 'What it costs us now; null to those who may not see costs')
  cost_baht!: string | null;
  @ApiNullableText('1.80', 'What the new price leaves; null to those who may not see costs')
  margin_baht!: string | null;
  @ApiProperty({ description: 'Whether the new price is below what it costs us now' }) below_cost!: boolean;
}

export class PriceImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({ type: [PriceChangeDto], description: 'The farthest moves first. The first 2,000' })
  changes!: PriceChangeDto[];
  @ApiProperty({ type: 'integer' }) moved_far!: number;
  @ApiProperty({ type: 'integer' }) below_cost!: number;
}

export class ImportQueryDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Text(1, 255, { optional: true, description: 'The file’s name, for the log' }) file?: string;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

/** What was done. */
export class ImportedDto {
  @ApiProperty({ type: 'integer' }) added!: number;
  @ApiProperty({ type: 'integer' }) changed!: number;
}

/** Steps that prices are rounded to, in baht. */
const ROUNDINGS = ['0.01', '0.25', '0.50', '1.00'] as const;

export class AdjustmentDto extends ProductFilterDto {
  @TextThat(
    (value) => (parsePercentage(value) === null ? 'must be a percentage above -100 such as -3.5' : null),
    {},
    { example: '-3.5', description: 'By which the list prices change' },
  )
  percent!: string;
  @OneOf(ROUNDINGS, { optional: true, description: 'New prices are multiples of it, THB' }) round_to?: string;
}

export class ApplyAdjustmentDto extends AdjustmentDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class AdjustmentPreviewDto {
  @ApiProperty({ description: 'Names exactly these changes' }) version!: string;
  @ApiProperty({ type: [PriceChangeDto], description: 'By SKU. The first 2,000' }) changes!: PriceChangeDto[];
  @ApiProperty({ type: 'integer', description: 'List prices that change' }) changed!: number;
  @ApiProperty({ type: 'integer' }) unchanged!: number;
  @ApiProperty({ type: 'integer' }) below_cost!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Merchants’ own prices that a lower list price caps, or a higher one lets rise again',
  })
  own_prices!: number;
}
