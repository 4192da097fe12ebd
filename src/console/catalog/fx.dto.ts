import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Text } from '../../core/validation/member.decorators.js';
import { Reason } from '../reason.dto.js';
import { ProductNameDto } from './product.dto.js';

const HIDDEN = 'Null for operators who may not see costs';

export class FxRateDto {
  @Shown.text('IDR') currency!: string;
  @Shown.text('0.0021', 'Baht for one unit') rate!: string;
  @Shown.moment() valid_from!: string;
  @Shown.flag('Whether the rate is recent enough for offers in this currency to be used') is_fresh!: boolean;
  @Shown.integer('The number of active products that the service buys in this currency') products!: number;
  @Shown.nullableNumber(8.4, `The margin of these products in percent of their prices. ${HIDDEN}`)
  margin_percent!: number | null;
}

export class FxRatesDto {
  @ApiProperty({ type: [FxRateDto] }) data!: FxRateDto[];
  @ApiProperty({ type: [String], description: 'Currencies in which products are bought and that have no rate' })
  missing!: string[];
}

export class FxQuestionDto {
  @Text(1, 32, { description: 'Baht for one unit', example: '0.0021' }) rate!: string;
}

export class SetFxDto extends FxQuestionDto {
  @Text(1, 64, { description: 'The version of the preview' }) version!: string;
  @Reason({ optional: true }) reason?: string;
}

export class FxEffectDto extends ProductNameDto {
  @Shown.text('acme') supplier!: string;
  @Shown.text('35.00') price!: string;
  @Shown.nullableText('31.20', 'Null without a rate at present') cost_before!: string | null;
  @Shown.text('36.10') cost_after!: string;
  @Shown.text('-1.10') margin_after!: string;
  @Shown.flag() below_cost!: boolean;
}

export class FxPreviewDto {
  @ApiProperty({ description: 'Identifies the present rate and the products that would sell below cost' })
  version!: string;
  @Shown.nullableText('0.0020', 'The present rate') before!: string | null;
  @Shown.integer('Products that are bought in the currency') products!: number;
  @Shown.integer('Products that would sell below cost') below_cost!: number;
  @ApiProperty({ type: [FxEffectDto], description: 'The first 200 products, the smallest margin first' })
  effects!: FxEffectDto[];
}
