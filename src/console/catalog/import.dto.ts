import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { parsePercentage } from '../../core/money.js';
import { Fitting, OneOf, Text } from '../../core/validation/member.decorators.js';
import { Reason } from '../reason.dto.js';
import { MemberChangeDto, ProductFilterDto } from './product.dto.js';

export class CsvProblemDto {
  @Shown.nullableInteger('Null for a problem of the whole file') line!: number | null;
  @Shown.nullableText('price') column!: string | null;
  @Shown.text('price must be an amount in baht such as 35.00, not "abc"') words!: string;
}

export class ProductChangeDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.oneOf(['added', 'changed']) change!: 'added' | 'changed';
  @ApiProperty({ type: [MemberChangeDto], description: 'The members that change' }) changes!: MemberChangeDto[];
  @Shown.nullableNumber(-22.5, 'The change of the price in percent; null if it does not change, or was 0')
  price_moves_percent!: number | null;
  @Shown.flag('Whether the new price is below the present cost; false if the price does not change')
  below_cost!: boolean;
}

/** The changes that an import would make. */
class ImportPreviewDto {
  @ApiProperty({ description: 'Identifies exactly these changes. The import must name this version' }) version!: string;
  @Shown.integer() added!: number;
  @Shown.integer() changed!: number;
  @Shown.integer() unchanged!: number;
  @ApiProperty({
    type: [CsvProblemDto],
    description:
      'A file with problems is not imported. After 500 problems, one more entry says that there may be others',
  })
  problems!: CsvProblemDto[];
  @Shown.integer() problem_count!: number;
  @Shown.integer('Prices that change by more than 20 %') moved_far!: number;
  @Shown.integer('Prices that would be below the present cost') below_cost!: number;
}

export class ProductImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({
    type: [ProductChangeDto],
    description: 'The first 2,000 changes, the largest changes of prices first',
  })
  changes!: ProductChangeDto[];
}

export class PriceChangeDto {
  @Shown.nullableInteger('The merchant of an own price; null for a list price') merchant_id!: number | null;
  @Shown.text('MLBB-86') sku!: string;
  @Shown.nullableText('35.00', 'Null if there was no price') old!: string | null;
  @Shown.nullableText('33.00', 'Null if there is no price any more') new!: string | null;
  @Shown.nullableNumber(-5.71) price_moves_percent!: number | null;
  @Shown.nullableText('31.20', 'The present cost; null for operators who may not see costs') cost_baht!: string | null;
  @Shown.nullableText('1.80', 'The margin at the new price; null for operators who may not see costs')
  margin_baht!: string | null;
  @Shown.flag('Whether the new price is below the present cost') below_cost!: boolean;
}

export class PriceImportPreviewDto extends ImportPreviewDto {
  @ApiProperty({ type: [PriceChangeDto], description: 'The first 2,000 changes, the largest changes of prices first' })
  changes!: PriceChangeDto[];
}

export class ImportQueryDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Text(1, 255, { optional: true, description: 'The file’s name, for the log' }) file?: string;
  @Reason({ optional: true }) reason?: string;
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
    description: 'The percentage by which the list prices change',
  })
  percent!: string;
  @OneOf(ROUNDINGS, { optional: true, description: 'New prices are multiples of this amount, THB' }) round_to?: string;
}

export class ApplyAdjustmentDto extends AdjustmentDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Reason({ optional: true }) reason?: string;
}

export class AdjustmentPreviewDto {
  @ApiProperty({ description: 'Identifies exactly these changes' }) version!: string;
  @ApiProperty({ type: [PriceChangeDto], description: 'The first 2,000 changes, sorted by SKU' })
  changes!: PriceChangeDto[];
  @Shown.integer('List prices that change') changed!: number;
  @Shown.integer() unchanged!: number;
  @Shown.integer() below_cost!: number;
  @Shown.integer('Merchants’ prices that change because the list price caps their own price')
  own_prices!: number;
}
