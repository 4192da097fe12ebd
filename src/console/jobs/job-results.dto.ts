import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { GROUPINGS } from '../../accounting/reports/margin-report.service.js';

const Amount = (description = 'THB'): PropertyDecorator => ApiProperty({ example: '35.00', description });
const Balance = (): PropertyDecorator => Amount('THB, available and held');

/** Reports of older versions lack this count. */
class WithArchivedDto {
  @Shown.optionalInteger(0, 'Archived orders of this period, which the report leaves out')
  archived_orders?: number;
}

export class DailyFiguresDto {
  @Shown.integer(3, 'Orders placed on the day') orders!: number;
  @Shown.integer(3, 'Orders that completed on the day') completed!: number;
  @Shown.integer(3, 'Orders that failed on the day') failed!: number;
  @Balance() opening_amount!: string;
  @Amount() credited_amount!: string;
  @Amount() debited_amount!: string;
  @Amount() spent_amount!: string;
  @Balance() closing_amount!: string;
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
  @ApiProperty({ type: [String], example: [], description: 'Balances that do not add up, in words' })
  differences!: string[];
}

export class MarginFiguresDto {
  @Shown.integer(3) units!: number;
  @Amount() revenue!: string;
  @Amount() cost!: string;
  @Amount() margin!: string;
  @Shown.nullableNumber(12.5, 'Null if the units with a known cost have no revenue') margin_percent!: number | null;
  @Shown.integer(3, 'Units without a reported cost: their expected cost counts') cost_estimated_units!: number;
  @Shown.integer(3, 'Units without any known cost: they have no margin') cost_unknown_units!: number;
  @ApiProperty({
    type: String,
    required: false,
    example: '805.00',
    description:
      'The price of the units without a known cost. Absent in older reports, where this price counts as margin',
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
  @Shown.integer(3, 'Units that are not settled yet') open!: number;
  @Shown.optionalInteger(0, 'Attempts that another attempt followed; absent in older reports')
  given_up?: number;
  @Shown.integer(3) agreed!: number;
  @Shown.integer(3, 'Attempts without a usable answer') unanswered!: number;
  @Shown.integer(3, 'Attempts that can’t be queried without the risk of buying') unaskable!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    required: false,
    example: 3,
    description:
      'Purchases in the supplier’s list; null if it has no list, or the list could not be read. Absent in older reports',
  })
  listed?: number | null;
  @Shown.optionalInteger(0, 'Entries of the list that can’t be read')
  unreadable?: number;
  @Shown.optionalInteger(0, 'Listed purchases of no known order. The report opened a discrepancy for each')
  unknown?: number;
  @Shown.optionalInteger(0, '`unknown`, and the purchases listed as sold that our books record as not bought')
  surplus?: number;
  @Shown.integer(3, 'Discrepancies that are still open') open_cases!: number;
  @Shown.nullableText(null, 'Why the comparison is incomplete') problem!: string | null;
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
  @Shown.optionalInteger(41_200, 'Orders that the audit read')
  checked_orders?: number;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    example: '2026-10',
    description:
      'The last closed month. This and the next members are absent in audits by versions without closed months',
  })
  closed_through?: string | null;
  @Shown.optionalInteger(4_600_000, 'Orders of closed months, which were read when the months were closed')
  closed_orders?: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false }) last_closed_at?: string | null;
}

export class ReplayResultDto {
  @Shown.integer(3) replayed!: number;
}
