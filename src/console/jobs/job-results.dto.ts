import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { GROUPINGS } from '../../accounting/reports/margin-report.service.js';

const Amount = (): PropertyDecorator => ApiProperty({ example: '35.00', description: 'THB' });
const Count = (description?: string): PropertyDecorator =>
  ApiProperty({ type: 'integer', example: 3, ...(description && { description }) });

/** Absent of reports from before it was counted. */
class WithArchivedDto {
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 0,
    description: 'Orders of this time that are archived: the report has none of them',
  })
  archived_orders?: number;
}

export class DailyFiguresDto {
  @Count('Placed on the day') orders!: number;
  @Count('Ended on the day') completed!: number;
  @Count('Ended on the day') failed!: number;
  @Amount() opening_amount!: string;
  @Amount() credited_amount!: string;
  @Amount() debited_amount!: string;
  @Amount() spent_amount!: string;
  @Amount() closing_amount!: string;
  @Amount() ordered_amount!: string;
  @Amount() refunded_amount!: string;
  @Amount() opening_available_amount!: string;
  @Amount() opening_held_amount!: string;
  @Amount() closing_available_amount!: string;
  @Amount() closing_held_amount!: string;
}

export class MerchantDayDto extends DailyFiguresDto {
  @ApiProperty({ type: 'integer', example: 7 }) merchant_id!: number;
  @ApiProperty({ example: 'Somchai Game Shop' }) name!: string;
}

export class DailyReportDto extends WithArchivedDto {
  @ApiProperty({ example: '2026-01-15' }) date!: string;
  @ApiProperty({ example: 'Asia/Bangkok' }) timezone!: string;
  @ApiMoment() from!: string;
  @ApiMoment({ description: 'Exclusive' }) to!: string;
  @ApiProperty({ type: [MerchantDayDto] }) merchants!: MerchantDayDto[];
  @ApiProperty({ type: DailyFiguresDto }) total!: DailyFiguresDto;
  @ApiProperty({ type: [String], example: [], description: 'What does not fit, in words' })
  differences!: string[];
}

export class MarginFiguresDto {
  @Count() units!: number;
  @Amount() revenue!: string;
  @Amount() cost!: string;
  @Amount() margin!: string;
  @ApiProperty({ type: Number, nullable: true, example: 12.5, description: 'Null where no cost is known' })
  margin_percent!: number | null;
  @Count('Whose supplier never told the cost: what was expected counts') cost_estimated_units!: number;
  @Count('Whose cost nobody knows: they make no margin') cost_unknown_units!: number;
  @ApiProperty({
    type: String,
    required: false,
    example: '805.00',
    description: 'What merchants paid for those; absent of older reports, in which it counts as margin',
  })
  cost_unknown_revenue?: string;
}

export class MarginRowDto extends MarginFiguresDto {
  @ApiProperty({ example: 'MLBB-86', description: 'The SKU, the supplier’s code or the merchant’s id' })
  about!: string;
}

export class MarginReportDto extends WithArchivedDto {
  @ApiProperty({ enum: GROUPINGS, example: 'sku' }) by!: string;
  @ApiProperty({ type: [MarginRowDto] }) rows!: MarginRowDto[];
  @ApiProperty({ type: MarginFiguresDto }) total!: MarginFiguresDto;
}

export class SupplierDifferenceDto {
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7.1.1' }) reference!: string;
  @ApiProperty({ enum: ['succeeded', 'failed'], example: 'succeeded' }) ours!: string;
  @ApiProperty({ example: 'failed' }) theirs!: string;
  @Amount() amount!: string;
}

export class SupplierComparisonDto {
  @ApiProperty({ example: 'acme' }) supplier!: string;
  @ApiProperty({ example: true }) ok!: boolean;
  @Count() succeeded!: number;
  @Amount() succeeded_amount!: string;
  @Count() failed!: number;
  @Count('Not settled yet') open!: number;
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 0,
    description: 'Attempts that another one followed; absent of older reports',
  })
  given_up?: number;
  @Count() agreed!: number;
  @Count('No usable answer') unanswered!: number;
  @Count('Can’t be asked about without buying') unaskable!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    required: false,
    example: 3,
    description: 'Purchases that it lists; null where it has no list, and absent of older reports',
  })
  listed?: number | null;
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 0,
    description: 'Entries of its list besides those that can’t be read',
  })
  unreadable?: number;
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 0,
    description: 'Those of the purchases that no order knows, and that are cases since this report',
  })
  unknown?: number;
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 0,
    description: 'Purchases that it lists as sold and that our books have as not bought',
  })
  surplus?: number;
  @Count('Reversals that nobody has closed') open_cases!: number;
  @ApiNullableText(null, 'Why something is not known') problem!: string | null;
  @ApiNullableText('1240.50') balance_amount!: string | null;
  @ApiNullableText('THB') balance_currency!: string | null;
  @Count() difference_count!: number;
  @ApiProperty({ type: [SupplierDifferenceDto], description: 'The first 1,000' })
  differences!: SupplierDifferenceDto[];
}

export class SupplierReportDto extends WithArchivedDto {
  @ApiMoment() since!: string;
  @ApiProperty({ type: [SupplierComparisonDto] }) suppliers!: SupplierComparisonDto[];
}

export class CheckDto {
  @ApiProperty({ example: 'wallets' }) name!: string;
  @ApiProperty({ example: true }) ok!: boolean;
  @ApiProperty({ example: '12 wallets, 4,020.00 THB available' }) detail!: string;
}

export class AuditResultDto {
  @ApiProperty({ type: [CheckDto] }) checks!: CheckDto[];
  @ApiProperty({ type: 'integer', required: false, example: 41_200, description: 'Orders that were read' })
  checked_orders?: number;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    example: '2026-10',
    description: 'The last closed month; absent, as the others, of an audit from before months were closed',
  })
  closed_through?: string | null;
  @ApiProperty({
    type: 'integer',
    required: false,
    example: 4_600_000,
    description: 'Orders of closed months, which were read when these were closed',
  })
  closed_orders?: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false })
  last_closed_at?: string | null;
}

export class ReplayResultDto {
  @Count() replayed!: number;
}
