import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { parsePercentage } from '../../core/money.js';
import { Fitting, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MemberChangeDto, ProductFilterDto } from './product.dto.js';

export class CsvProblemDto {
  @Shown.nullableInteger('Null where it is about the whole file') line!: number | null;
  @Shown.nullableText('price') column!: string | null;
  @Shown.text('price must be an amount in baht such as 35.00, not "abc"') words!: string;
}

export class ProductChangeDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.oneOf(['added', 'changed']) change!: 'added' | 'changed';
  @ApiProperty({ type: [MemberChangeDto], description: 'What is not the same any more' }) changes!: MemberChangeDto[];
  @Shown.nullableNumber(-22.5, 'By how much the price moves, in percent; null where it does not, or was 0')
  price_moves_percent!: number | null;
  @Shown.flag('Whether its price is below what it costs us now') below_cost!: boolean;
}

/** The changes that an import would make. */
export class ImportPreviewDto {
  @ApiProperty({ description: 'Names exactly these changes: the import must name it' }) version!: string;
  @Shown.integer() added!: number;
  @Shown.integer() changed!: number;
  @Shown.integer() unchanged!: number;
  @ApiProperty({
    type: [CsvProblemDto],
    description:
      'Nothing is imported while there is any. After 500 comes one more, which says that there may be others',
  })
  problems!: CsvProblemDto[];
  @Shown.integer() problem_count!: number;
}

export class ProductImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({
    type: [ProductChangeDto],
    description: 'Prices that move by more than 20 % first, the farthest on top. The first 2,000',
  })
  changes!: ProductChangeDto[];
  @Shown.integer('Prices that move by more than 20 %') moved_far!: number;
  @Shown.integer('Products whose price would be below what they cost us now') below_cost!: number;
}

export class PriceChangeDto {
  @Shown.nullableInteger('Whose own price it is; null for a list price') merchant_id!: number | null;
  @Shown.text('MLBB-86') sku!: string;
  @Shown.nullableText('35.00', 'Null where there was none') old!: string | null;
  @Shown.nullableText('33.00', 'Null where there is none any more') new!: string | null;
  @Shown.nullableNumber(-5.71) price_moves_percent!: number | null;
  @Shown.nullableText('31.20', 'What it costs us now; null to those who may not see costs') cost_baht!: string | null;
  @Shown.nullableText('1.80', 'What the new price leaves; null to those who may not see costs')
  margin_baht!: string | null;
  @Shown.flag('Whether the new price is below what it costs us now') below_cost!: boolean;
}

export class PriceImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({ type: [PriceChangeDto], description: 'The farthest moves first. The first 2,000' })
  changes!: PriceChangeDto[];
  @Shown.integer() moved_far!: number;
  @Shown.integer() below_cost!: number;
}

export class ImportQueryDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Text(1, 255, { optional: true, description: 'The file’s name, for the log' }) file?: string;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

/** The numbers of changes that an import or an adjustment made. */
export class ImportedDto {
  @Shown.integer() added!: number;
  @Shown.integer() changed!: number;
}

/** An adjustment rounds prices to multiples of one of these amounts, in baht. */
const ROUNDINGS = ['0.01', '0.25', '0.50', '1.00'] as const;

export class AdjustmentDto extends ProductFilterDto {
  @Fitting((value) => parsePercentage(value) !== null, 'must be a percentage above -100 such as -3.5', {
    example: '-3.5',
    description: 'By which the list prices change',
  })
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
  @Shown.integer('List prices that change') changed!: number;
  @Shown.integer() unchanged!: number;
  @Shown.integer() below_cost!: number;
  @Shown.integer('Merchants’ own prices that a lower list price caps, or a higher one lets rise again')
  own_prices!: number;
}
