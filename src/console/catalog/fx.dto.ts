import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { Text } from '../../core/validation/member.decorators.js';

const HIDDEN = 'Null to those who may not see costs';

export class FxRateDto {
  @ApiProperty({ example: 'IDR' }) currency!: string;
  @ApiProperty({ example: '0.0021', description: 'Baht for one unit' }) rate!: string;
  @ApiMoment() valid_from!: string;
  @ApiProperty({ description: 'Whether offers in it are used: not when it is too old' }) is_fresh!: boolean;
  @ApiProperty({ type: 'integer', description: 'Products on sale that are bought in it now' })
  products!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 8.4,
    description: `What their prices leave above their costs, in percent of the prices. ${HIDDEN}`,
  })
  margin_percent!: number | null;
}

export class FxRatesDto {
  @ApiProperty({ type: [FxRateDto] }) data!: FxRateDto[];
  @ApiProperty({ type: [String], description: 'Currencies of products that have no rate' })
  missing!: string[];
}

export class FxQuestionDto {
  @Text(1, 32, { description: 'Baht for one unit', example: '0.0021' }) rate!: string;
}

export class SetFxDto extends FxQuestionDto {
  @Text(1, 64, { description: 'Of the preview that was shown' }) version!: string;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class FxEffectDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends 86 diamonds' }) name!: string;
  @ApiProperty({ example: 'acme' }) supplier!: string;
  @ApiProperty({ example: '35.00' }) price!: string;
  @ApiNullableText('31.20', 'Null without a rate at present') cost_before!: string | null;
  @ApiProperty({ example: '36.10' }) cost_after!: string;
  @ApiProperty({ example: '-1.10' }) margin_after!: string;
  @ApiProperty() below_cost!: boolean;
}

export class FxPreviewDto {
  @ApiProperty({ description: 'Names the present rate and what would sell below cost' }) version!: string;
  @ApiNullableText('0.0020', 'The present rate') before!: string | null;
  @ApiProperty({ type: 'integer', description: 'Products that are bought in the currency' })
  products!: number;
  @ApiProperty({ type: 'integer', description: 'Those that would sell below cost' }) below_cost!: number;
  @ApiProperty({ type: [FxEffectDto], description: 'The smallest margin first. The first 200' })
  effects!: FxEffectDto[];
}
