import { ApiProperty } from '@nestjs/swagger';
import { OVERRULABLE, type Overrulable } from '../../catalog/catalogue-difference.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { Cursor } from '../../core/http/page-query.dto.js';
import { Flag, Integer, Moment, OneOf, SomeOf, Text } from '../../core/validation/member.decorators.js';
import { UNDECIDED_OUTCOMES } from '../../support/undecided-calls.repository.js';
import { PAUSE_REASONS, type PauseReason } from '../../suppliers/supplier.entity.js';

export class SyncDto {
  @Flag({ description: 'Only shows what a sync would change' }) dry_run!: boolean;
  @Flag({
    optional: true,
    description: 'Applies a catalogue even if it has shrunk, or our own gap between two reads has not passed',
  })
  force?: boolean;
  @SomeOf(OVERRULABLE, {
    optional: true,
    description: 'The kinds of refusal that do not stop this sync; `force` stands for both',
  })
  accept?: Overrulable[];
  @Integer(0, 1_000_000, { optional: true, description: 'Accepts a shrunken catalogue that still has so many SKUs' })
  at_least?: number;
}

export class SupplierProductsQueryDto {
  @Text(1, 128, { optional: true, description: 'A part of the SKU, the name or the group' }) q?: string;
  @OneOf(['true', 'false'], { optional: true, description: '`true`: only SKUs without an offer of our products' })
  unmapped?: string;
  @Cursor() cursor?: string;
}

export class BalancesQueryDto {
  @Moment({ description: 'Reported at this moment or later' }) from!: string;
}

export class SupplierPauseDto {
  @Shown.oneOf(PAUSE_REASONS, 'operator') reason!: PauseReason;
  @Shown.nullableText('maintenance until 14:00', 'The reason that the operator or the supplier gave') detail!:
    string | null;
  @Shown.moment() since!: Date;
}

export class BalanceReadingDto {
  @Shown.text('1520.00', 'In units of `currency`') amount!: string;
  @Shown.text('THB') currency!: string;
  @Shown.moment('When the supplier reported it') at!: string;
}

export class ShownBalanceDto extends BalanceReadingDto {
  @Shown.flag(false, 'Whether the amount is below the supplier’s `low_balance`') low!: boolean;
}

export class OutcomeCountDto {
  @Shown.text('succeeded') outcome!: string;
  @Shown.integer(120) count!: number;
}

export class RecentCallsDto {
  @Shown.integer(15, 'The outcomes and durations are of the last so many minutes') minutes!: number;
  @ApiProperty({ type: [OutcomeCountDto], description: 'Sends and inquiries, by outcome' })
  outcomes!: OutcomeCountDto[];
  @Shown.nullableInteger(240, 'Half of the sends took no longer; null without sends') p50_ms!: number | null;
  @Shown.nullableInteger(1900, '95 percent of the sends took no longer; null without sends') p95_ms!: number | null;
}

export class SupplierBreakerDto {
  @Shown.text('worker@host-1:4242-9f31') process!: string;
  @Shown.oneOf(
    ['closed', 'open', 'half_open'],
    'closed',
    '`open`: the worker makes no calls for a moment; `half_open`: the worker tries a few calls',
  )
  state!: 'closed' | 'open' | 'half_open';
  @Shown.integer(3, 'Calls that wait for an answer') in_flight!: number;
  @Shown.moment() at!: Date;
}

export class SupplierQueueDto {
  @Shown.integer(12, 'Units that are due, counted up to 10,000') due!: number;
  @Shown.nullableMoment('Since when the oldest due unit has been due') oldest_at!: Date | null;
}

export class ListedSupplierDto {
  @Shown.text('acme') code!: string;
  @Shown.text('http') adapter!: string;
  @Shown.oneOf(
    ['well', 'pausing', 'paused', 'refusing'],
    'well',
    '`pausing`: the supplier accepted none of its latest calls, and some workers make no calls or only a few; `paused`: workers send it nothing; `refusing`: it is paused because it refuses our credentials',
  )
  state!: 'well' | 'pausing' | 'paused' | 'refusing';
  @ApiProperty({ type: SupplierPauseDto, nullable: true }) pause!: SupplierPauseDto | null;
  @ApiProperty({ type: ShownBalanceDto, nullable: true, description: 'Null where the supplier never reported one' })
  balance!: ShownBalanceDto | null;
  @Shown.nullableNumber(31.5, 'How long the balance lasts at the pace of the last day') balance_lasts_hours!:
    number | null;
  @ApiProperty({ type: [SupplierBreakerDto], description: 'The breaker of each worker that has called the supplier' })
  breakers!: SupplierBreakerDto[];
  @ApiProperty({ type: RecentCallsDto }) calls!: RecentCallsDto;
  @ApiProperty({ type: SupplierQueueDto }) queue!: SupplierQueueDto;
}

export class OpenUnitsDto {
  @Shown.integer(14, 'Units that have not ended') open!: number;
  @Shown.integer(2, 'The open units that the supplier may have sold') in_doubt!: number;
}

export class WaitingMerchantDto {
  @Shown.integer(7) merchant_id!: number;
  @Shown.text('Somchai Game Shop') merchant!: string;
  @Shown.integer(1, 'The merchant’s share of the supplier’s slots, relative to the weights of other merchants')
  weight!: number;
  @Shown.integer(120, 'Units that are due, counted up to 10,000') units!: number;
  @Shown.moment('Since when the oldest due unit has been due') oldest_at!: Date;
}

export class SupplierDetailDto extends ListedSupplierDto {
  @Shown.text('https://api.acme.example/v1') base_url!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { region: 'TH' } })
  options!: Record<string, string>;
  @ApiProperty({ type: [String], example: ['token'], description: 'The names of the credentials that are set' })
  credentials!: string[];
  @Shown.integer(10000) timeout_ms!: number;
  @Shown.nullableInteger(
    null,
    'The most calls at once, over all workers; null for SUPPLIER_MAX_IN_FLIGHT, of which each worker has an equal share',
  )
  max_in_flight!: number | null;
  @Shown.nullableText('500.00', 'Our balance with the supplier counts as low below this amount') low_balance!:
    string | null;
  @Shown.flag(true, 'Whether the supplier has a callback address') has_callbacks!: boolean;
  @Shown.nullableText(
    'https://pay.example/callbacks/acme/…',
    'The callback address: a secret, and null for operators who may not set suppliers',
  )
  callback_url!: string | null;
  @Shown.flag(true, 'Whether its adapter reads catalogues') has_catalogue!: boolean;
  @Shown.nullableMoment('When we last began to read the supplier’s catalogue') catalogue_read_at!: Date | null;
  @ApiProperty({ type: OpenUnitsDto }) open_units!: OpenUnitsDto;
  @ApiProperty({ type: [WaitingMerchantDto], description: 'The merchants with the most due units, at most 20' })
  waiting!: WaitingMerchantDto[];
  @Shown.moment('When the supplier’s settings last changed') updated_at!: Date;
}

export class BalanceReadingsDto {
  @ApiProperty({ type: [BalanceReadingDto], description: 'The oldest first, at most 200' }) data!: BalanceReadingDto[];
}

/** The results of a check: pages put them into words. */
const FINDINGS = [
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
  @Shown.oneOf(['settings', 'balance', 'catalogue'], 'balance') name!: string;
  @Shown.flag(true) ok!: boolean;
  @Shown.oneOf(FINDINGS, 'told') finding!: Finding;
  @Shown.nullableText('1520.00 THB', 'What the supplier reported, or what went wrong') detail!: string | null;
}

export class SupplierTestDto {
  @Shown.flag(true, 'Whether all checks are ok') ok!: boolean;
  @ApiProperty({ type: [SupplierCheckDto] }) checks!: SupplierCheckDto[];
}

/** The reasons why a sync did not apply a catalogue. */
export const REFUSALS = ['too_soon', 'unavailable', 'empty', 'contradiction', 'shrunk', 'overtaken'] as const;

export class SyncRefusalDto {
  @Shown.oneOf(REFUSALS, 'shrunk') kind!: (typeof REFUSALS)[number];
  @Shown.nullableText('120 → 40') detail!: string | null;
  @Shown.flag(true, 'Whether a sync with `force` does not refuse for this reason') can_be_forced!: boolean;
  @Shown.nullableInteger(40, 'The SKUs that a shrunken catalogue still has, for `at_least`') now!: number | null;
}

export class SyncDoneDto {
  @Shown.integer(120, 'The SKUs in the catalogue that was read') seen!: number;
  @Shown.integer(3) added!: number;
  @Shown.integer(1) removed!: number;
  @Shown.integer(7) price_changed!: number;
  @Shown.integer(2) availability_changed!: number;
  @ApiProperty({ type: SyncRefusalDto, nullable: true, description: 'Why the sync refused; null where it did not' })
  refusal!: SyncRefusalDto | null;
}

export class SupplierProductDto {
  @Shown.text('ML-86') supplier_sku!: string;
  @Shown.text('86 Diamonds') name!: string;
  @Shown.text('Mobile Legends') group!: string;
  @Shown.nullableText('29.50', 'Null for operators who may not see costs') cost!: string | null;
  @Shown.nullableText('THB') currency!: string | null;
  @Shown.flag(true) available!: boolean;
  @Shown.nullableText('MLBB-86', 'The first of our products that has an offer of the supplier’s SKU') mapped_to!:
    string | null;
  @Shown.flag(false, 'Whether the SKU was new in the latest sync') is_new!: boolean;
  @Shown.nullableMoment('Since when the catalogue does not list the SKU; null while it does') gone_at!: Date | null;
}

export class UndecidedCallDto {
  @Shown.text('4711') id!: string;
  @Shown.moment('When the call ended') at!: Date;
  @Shown.oneOf(['send', 'inquiry', 'callback'], 'send') kind!: string;
  @Shown.oneOf(UNDECIDED_OUTCOMES, 'unknown') outcome!: string;
  @Shown.nullableText('no answer within 10000 ms', 'What the supplier reported, or what went wrong') detail!:
    string | null;
  @Shown.integer(10_000) duration_ms!: number;
  @Shown.text('worker@host-1:4242-9f31') process!: string;
  @Shown.text('ord_Np3O7rcsqNmBTwD7') order_number!: string;
  @Shown.text('1.2') unit!: string;
}

export class UndecidedCallsDto {
  @ApiProperty({ type: [UndecidedCallDto], description: 'The latest first, at most 50' }) data!: UndecidedCallDto[];
  @Shown.integer(10_000, 'Only this many latest calls, of all suppliers, were searched') among!: number;
}
