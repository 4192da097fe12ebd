import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { Cursor } from '../../core/http/page-query.dto.js';
import { Flag, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { UNDECIDED_OUTCOMES } from '../../support/undecided-calls.repository.js';
import { PAUSE_REASONS, type PauseReason } from '../../suppliers/supplier.entity.js';

const Reason = (): PropertyDecorator =>
  Text(1, 500, { description: 'For the log', example: 'maintenance until 14:00' });

export class PauseDto {
  @Reason() reason!: string;
}

export class SyncDto {
  @Flag({ description: 'Compares only: nothing of ours changes' }) dry_run!: boolean;
  @Flag({ optional: true, description: 'Takes over a catalogue that has shrunk' }) force?: boolean;
}

export class SupplierProductsQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU, the name or the group' }) q?: string;
  @OneOf(['true', 'false'], { optional: true, description: '`true`: only what no product has an offer of' })
  unmapped?: string;
  @Cursor() cursor?: string;
}

export class BalancesQueryDto {
  @Moment({ description: 'Told at this moment or later' }) from!: string;
}

export class SupplierPauseDto {
  @ApiProperty({ enum: PAUSE_REASONS, example: 'operator' }) reason!: PauseReason;
  @ApiNullableText('maintenance until 14:00', 'What the operator or the supplier said') detail!: string | null;
  @ApiMoment() since!: string;
}

export class ShownBalanceDto {
  @ApiProperty({ example: '1520.00', description: 'In the currency’s own unit' }) amount!: string;
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiMoment({ description: 'When it told' }) at!: string;
  @ApiProperty({ example: false, description: 'Whether it is below what we want to have there' })
  low!: boolean;
}

export class OutcomeCountDto {
  @ApiProperty({ example: 'succeeded' }) outcome!: string;
  @ApiProperty({ type: 'integer', example: 120 }) count!: number;
}

export class RecentCallsDto {
  @ApiProperty({ type: 'integer', example: 15, description: 'Over so many minutes' }) minutes!: number;
  @ApiProperty({ type: [OutcomeCountDto], description: 'Purchases and inquiries' })
  outcomes!: OutcomeCountDto[];
  @ApiProperty({ type: 'integer', nullable: true, example: 240, description: 'Of purchases' })
  p50_ms!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 1900 }) p95_ms!: number | null;
}

export class SupplierBreakerDto {
  @ApiProperty({ example: 'worker@host-1:4242-9f31' }) process!: string;
  @ApiProperty({
    enum: ['closed', 'open', 'half_open'],
    example: 'closed',
    description: '`open`: left alone for a moment; `half_open`: tried with a few calls',
  })
  state!: 'closed' | 'open' | 'half_open';
  @ApiProperty({ type: 'integer', example: 3, description: 'Calls that wait for an answer' })
  in_flight!: number;
  @ApiMoment() at!: string;
}

export class SupplierQueueDto {
  @ApiProperty({ type: 'integer', example: 12, description: 'Units that are due' }) due!: number;
  @ApiMoment({ nullable: true, description: 'Since when the oldest of them is' }) oldest_at!: string | null;
}

/** A supplier, and how it does. */
export class ListedSupplierDto {
  @ApiProperty({ example: 'acme' }) code!: string;
  @ApiProperty({ example: 'http' }) adapter!: string;
  @ApiProperty({
    enum: ['well', 'pausing', 'paused', 'refusing'],
    example: 'well',
    description:
      '`pausing`: it accepts nothing, and workers leave it alone for moments; `paused`: nothing is sent there; `refusing`: it refuses our credentials, and is paused',
  })
  state!: 'well' | 'pausing' | 'paused' | 'refusing';
  @ApiProperty({ type: SupplierPauseDto, nullable: true }) pause!: SupplierPauseDto | null;
  @ApiProperty({ type: ShownBalanceDto, nullable: true, description: 'Null where it never told' })
  balance!: ShownBalanceDto | null;
  @ApiProperty({ type: Number, nullable: true, example: 31.5, description: 'At the pace of the last day' })
  balance_lasts_hours!: number | null;
  @ApiProperty({ type: [SupplierBreakerDto], description: 'How each worker finds it that has called it' })
  breakers!: SupplierBreakerDto[];
  @ApiProperty({ type: RecentCallsDto }) calls!: RecentCallsDto;
  @ApiProperty({ type: SupplierQueueDto }) queue!: SupplierQueueDto;
}

export class OpenUnitsDto {
  @ApiProperty({ type: 'integer', example: 14, description: 'Units that have not ended' }) open!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'Those that may have been bought' })
  in_doubt!: number;
}

export class SupplierDetailDto extends ListedSupplierDto {
  @ApiProperty({ example: 'https://api.acme.example/v1' }) base_url!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { region: 'TH' } })
  options!: Record<string, string>;
  @ApiProperty({ type: [String], example: ['token'], description: 'The names only' }) credentials!: string[];
  @ApiProperty({ type: 'integer', example: 10000 }) timeout_ms!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: null,
    description: 'Null: SUPPLIER_MAX_IN_FLIGHT, which workers share',
  })
  max_in_flight!: number | null;
  @ApiNullableText('500.00', 'The balance below which it is low') low_balance!: string | null;
  @ApiProperty({ example: true, description: 'Whether it calls us' }) has_callbacks!: boolean;
  @ApiNullableText(
    'https://pay.example/callbacks/acme/…',
    'Where it calls us: a secret, shown to those who may set suppliers',
  )
  callback_url!: string | null;
  @ApiProperty({ example: true, description: 'Whether its adapter reads catalogues' })
  has_catalogue!: boolean;
  @ApiMoment({ nullable: true, description: 'When its catalogue was last asked for' })
  catalogue_read_at!: string | null;
  @ApiProperty({ type: OpenUnitsDto }) open_units!: OpenUnitsDto;
  @ApiMoment({ description: 'When its settings were changed' }) updated_at!: string;
}

export class BalanceReadingDto {
  @ApiMoment() at!: string;
  @ApiProperty({ example: '1520.00' }) amount!: string;
  @ApiProperty({ example: 'THB' }) currency!: string;
}

export class BalanceReadingsDto {
  @ApiProperty({ type: [BalanceReadingDto], description: 'The oldest first, at most 200' })
  data!: BalanceReadingDto[];
}

/** What came of one check, to be put into words. */
export const FINDINGS = [
  'complete',
  'incomplete',
  'told',
  'untold',
  'credentials_refused',
  'banned',
  'limited',
  'unreachable',
] as const;
export type Finding = (typeof FINDINGS)[number];

export class SupplierCheckDto {
  @ApiProperty({ enum: ['settings', 'balance', 'catalogue'], example: 'balance' }) name!: string;
  @ApiProperty({ example: true }) ok!: boolean;
  @ApiProperty({ enum: FINDINGS, example: 'told' }) finding!: Finding;
  @ApiNullableText('1520.00 THB', 'What it told, or what went wrong') detail!: string | null;
}

export class SupplierTestDto {
  @ApiProperty({ example: true, description: 'Whether it can be used' }) ok!: boolean;
  @ApiProperty({ type: [SupplierCheckDto] }) checks!: SupplierCheckDto[];
}

/** Why a catalogue was not taken over. */
export const REFUSALS = ['too_soon', 'unavailable', 'empty', 'contradiction', 'shrunk', 'overtaken'] as const;

export class SyncRefusalDto {
  @ApiProperty({ enum: REFUSALS, example: 'shrunk' }) kind!: (typeof REFUSALS)[number];
  @ApiNullableText('120 → 40') detail!: string | null;
  @ApiProperty({ example: true, description: 'Whether `force` takes it over all the same' })
  can_be_forced!: boolean;
}

export class SyncDoneDto {
  @ApiProperty({ type: 'integer', example: 120, description: 'SKUs that are listed now' }) seen!: number;
  @ApiProperty({ type: 'integer', example: 3 }) added!: number;
  @ApiProperty({ type: 'integer', example: 1 }) removed!: number;
  @ApiProperty({ type: 'integer', example: 7 }) price_changed!: number;
  @ApiProperty({ type: 'integer', example: 2 }) availability_changed!: number;
  @ApiProperty({ type: SyncRefusalDto, nullable: true, description: 'Null where nothing was wrong' })
  refusal!: SyncRefusalDto | null;
}

export class SupplierProductDto {
  @ApiProperty({ example: 'ML-86' }) supplier_sku!: string;
  @ApiProperty({ example: '86 Diamonds' }) name!: string;
  @ApiProperty({ example: 'Mobile Legends' }) group!: string;
  @ApiNullableText('29.50', 'Null to those who may not see costs') cost!: string | null;
  @ApiNullableText('THB') currency!: string | null;
  @ApiProperty({ example: true }) available!: boolean;
  @ApiNullableText('MLBB-86', 'The first of our products that has an offer of it') mapped_to!: string | null;
  @ApiProperty({ example: false, description: 'Whether the last reading was the first that listed it' })
  is_new!: boolean;
  @ApiMoment({ nullable: true, description: 'Since when it is not listed any more' }) gone_at!: string | null;
}

export class UndecidedCallDto {
  @ApiProperty({ example: '4711' }) id!: string;
  @ApiMoment({ description: 'When it ended' }) at!: string;
  @ApiProperty({ enum: ['send', 'inquiry', 'callback'], example: 'send' }) kind!: string;
  @ApiProperty({ enum: UNDECIDED_OUTCOMES, example: 'unknown' }) outcome!: string;
  @ApiNullableText('no answer within 10000 ms', 'What it told, or what went wrong') detail!: string | null;
  @ApiProperty({ type: 'integer', example: 10_000 }) duration_ms!: number;
  @ApiProperty({ example: 'worker@host-1:4242-9f31' }) process!: string;
  @ApiProperty({ example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @ApiProperty({ example: '1.2' }) unit!: string;
}

export class UndecidedCallsDto {
  @ApiProperty({ type: [UndecidedCallDto], description: 'The latest first, at most 50' })
  data!: UndecidedCallDto[];
  @ApiProperty({
    type: 'integer',
    example: 10_000,
    description: 'Among the latest so many calls of all suppliers',
  })
  among!: number;
}
