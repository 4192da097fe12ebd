import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { GROUPINGS } from '../../accounting/reports/margin-report.service.js';

const Amount = (): PropertyDecorator => ApiProperty({ example: '35.00', description: 'THB' });

/** Reports of older versions lack the count. */
class WithArchivedDto {
  @Shown.optionalInteger(0, 'Orders of this time that are archived: the report has none of them')
  archived_orders?: number;
}

export class DailyFiguresDto {
  @Shown.integer(3, 'Placed on the day') orders!: number;
  @Shown.integer(3, 'Ended on the day') completed!: number;
  @Shown.integer(3, 'Ended on the day') failed!: number;
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
  @Shown.integer(7) merchant_id!: number;
  @Shown.text('Somchai Game Shop') name!: string;
}

export class DailyReportDto extends WithArchivedDto {
  @Shown.text('2026-01-15') date!: string;
  @Shown.text('Asia/Bangkok') timezone!: string;
  @Shown.moment() from!: string;
  @Shown.moment('Exclusive') to!: string;
  @ApiProperty({ type: [MerchantDayDto] }) merchants!: MerchantDayDto[];
  @ApiProperty({ type: DailyFiguresDto }) total!: DailyFiguresDto;
  @ApiProperty({ type: [String], example: [], description: 'What does not fit, in words' }) differences!: string[];
}

export class MarginFiguresDto {
  @Shown.integer(3) units!: number;
  @Amount() revenue!: string;
  @Amount() cost!: string;
  @Amount() margin!: string;
  @Shown.nullableNumber(12.5, 'Null where no cost is known') margin_percent!: number | null;
  @Shown.integer(3, 'Whose supplier never reported the cost: the expected cost counts') cost_estimated_units!: number;
  @Shown.integer(3, 'Whose cost nobody knows: they make no margin') cost_unknown_units!: number;
  @ApiProperty({
    type: String,
    required: false,
    example: '805.00',
    description: 'What merchants paid for those; absent of older reports, in which it counts as margin',
  })
  cost_unknown_revenue?: string;
}

export class MarginRowDto extends MarginFiguresDto {
  @Shown.text('MLBB-86', 'The SKU, the supplier’s code or the merchant’s id') about!: string;
}

export class MarginReportDto extends WithArchivedDto {
  @Shown.oneOf(GROUPINGS, 'sku') by!: string;
  @ApiProperty({ type: [MarginRowDto] }) rows!: MarginRowDto[];
  @ApiProperty({ type: MarginFiguresDto }) total!: MarginFiguresDto;
}

export class SupplierDifferenceDto {
  @Shown.text('ord_Np3O7rcsqNmBTwD7.1.1') reference!: string;
  @Shown.oneOf(['succeeded', 'failed'], 'succeeded') ours!: string;
  @Shown.text('failed') theirs!: string;
  @Amount() amount!: string;
}

export class SupplierComparisonDto {
  @Shown.text('acme') supplier!: string;
  @Shown.flag(true) ok!: boolean;
  @Shown.integer(3) succeeded!: number;
  @Amount() succeeded_amount!: string;
  @Shown.integer(3) failed!: number;
  @Shown.integer(3, 'Not settled yet') open!: number;
  @Shown.optionalInteger(0, 'Attempts that another one followed; absent of older reports')
  given_up?: number;
  @Shown.integer(3) agreed!: number;
  @Shown.integer(3, 'No usable answer') unanswered!: number;
  @Shown.integer(3, 'Can’t be asked about without buying') unaskable!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    required: false,
    example: 3,
    description: 'Purchases that it lists; null where it has no list, and absent of older reports',
  })
  listed?: number | null;
  @Shown.optionalInteger(0, 'Entries of its list besides those that can’t be read')
  unreadable?: number;
  @Shown.optionalInteger(0, 'Those of the purchases that no order knows, and that are cases since this report')
  unknown?: number;
  @Shown.optionalInteger(0, 'Purchases that it lists as sold and that our books have as not bought')
  surplus?: number;
  @Shown.integer(3, 'Reversals that nobody has closed') open_cases!: number;
  @Shown.nullableText(null, 'Why something is not known') problem!: string | null;
  @Shown.nullableText('1240.50') balance_amount!: string | null;
  @Shown.nullableText('THB') balance_currency!: string | null;
  @Shown.integer(3) difference_count!: number;
  @ApiProperty({ type: [SupplierDifferenceDto], description: 'The first 1,000' }) differences!: SupplierDifferenceDto[];
}

export class SupplierReportDto extends WithArchivedDto {
  @Shown.moment() since!: string;
  @ApiProperty({ type: [SupplierComparisonDto] }) suppliers!: SupplierComparisonDto[];
}

export class CheckDto {
  @Shown.text('wallets') name!: string;
  @Shown.flag(true) ok!: boolean;
  @Shown.text('12 wallets, 4,020.00 THB available') detail!: string;
}

export class AuditResultDto {
  @ApiProperty({ type: [CheckDto] }) checks!: CheckDto[];
  @Shown.optionalInteger(41_200, 'Orders that were read')
  checked_orders?: number;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    example: '2026-10',
    description: 'The last closed month; absent, as the others, of an audit from before months were closed',
  })
  closed_through?: string | null;
  @Shown.optionalInteger(4_600_000, 'Orders of closed months, which were read when these were closed')
  closed_orders?: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false }) last_closed_at?: string | null;
}

export class ReplayResultDto {
  @Shown.integer(3) replayed!: number;
}
