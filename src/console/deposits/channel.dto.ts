import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_SATANG } from '../../core/money.js';
import { AmountUpTo, Day, Flag, Integer, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { CHANNEL_ADAPTER_NAMES } from '../../deposits/channels/adapters.js';
import { CHANNEL_STATUSES, type ChannelStatus } from '../../deposits/deposit-channel.entity.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { Reason } from '../reason.dto.js';
import { Changes, CredentialFieldDto, OptionFieldDto } from '../suppliers/supplier-settings.dto.js';
import { AnyChannel } from './deposit.dto.js';

const options = { type: 'object', additionalProperties: { type: 'string' }, example: { spread: '5' } } as const;

export class ChannelDto {
  @Shown.text('kbank') code!: string;
  @Shown.text('promptpay') adapter!: string;
  @Shown.nullableText(
    null,
    'The address of the vendor’s API, or of the slip service, if an operator set one; else null',
  )
  base_url!: string | null;
  @ApiProperty({ type: [String], description: 'The names of the stored credentials, which are never shown' })
  credentials!: string[];
  @ApiProperty(options) options!: Record<string, string>;
  @Shown.text('100.00', 'The smallest deposit, THB') min!: string;
  @Shown.text('700000.00') max!: string;
  @Shown.integer(
    100,
    'A deposit that names no channel gets the active channel with the lowest number that takes its amount',
  )
  priority!: number;
  @Shown.text('200000.00', 'A payment above this amount waits for an operator, THB') hold_above!: string;
  @Shown.oneOf([...CHANNEL_STATUSES, 'paused'], 'active') status!: string;
  @Shown.nullableText(null, 'Why the service paused it') pause_reason!: string | null;
  @Shown.nullableText(null, 'Null for operators who may not set channels') callback_url!: string | null;
  @Shown.flag(true, 'Whether its bank statements can be imported') has_statements!: boolean;
  @Shown.flag(false, 'Whether its vendor has a list of payments') can_sync!: boolean;
  @Shown.nullableMoment('The time of the last imported line') covered_until!: string | null;
  @Shown.nullableMoment('When a statement was last imported') imported_at!: string | null;
  @Shown.nullableText('GAP', 'Why its last file was refused; null if it was not') refused!: string | null;
  @Shown.nullableMoment(
    "When the slip service is called again, while it refuses us or the credentials can't be opened; else null",
  )
  slips_paused_until!: string | null;
  @Shown.moment() updated_at!: string;
}

export class SetChannelDto {
  @OneOf(CHANNEL_ADAPTER_NAMES, { example: 'promptpay' }) adapter!: string;
  @Text(1, 2_048, {
    optional: true,
    example: 'https://api.omise.co',
    description: 'Unless given, the address that the channel has, or for a new channel the vendor’s own',
  })
  base_url?: string;
  @Changes({
    description:
      'Credentials that are not given are kept; null removes a credential. Credentials are never shown. Another host in `base_url` needs all secret credentials again',
  })
  credentials?: Record<string, string | null>;
  @Changes({ description: 'Options that are not given are kept; null removes an option', example: { spread: '5' } })
  options?: Record<string, string | null>;
  @AmountUpTo(MAX_SATANG, { optional: true, example: '100.00' }) min?: string;
  @AmountUpTo(MAX_SATANG, { optional: true, example: '700000.00' }) max?: string;
  @Integer(0, 1_000, { optional: true, example: 100 }) priority?: number;
  @AmountUpTo(MAX_SATANG, { optional: true, example: '200000.00' }) hold_above?: string;
  @OneOf(['active', 'inactive'], { optional: true }) status?: ChannelStatus;
  @Flag({ optional: true, description: 'Makes a new callback address; the earlier address stops working' })
  new_callback_url?: boolean;
  @Moment({
    optional: true,
    nullable: true,
    description: 'The `updated_at` that the operator saw; null for a new channel',
  })
  expected_updated_at?: string | null;
  @Reason({ optional: true }) reason?: string;
}

export class ChannelAdapterDto {
  @Shown.text('promptpay') adapter!: string;
  @Shown.text('PromptPay') name!: string;
  @Shown.nullableText('https://api.omise.co', 'The vendor’s own; null for a scheme without a vendor') base_url!:
    string | null;
  @ApiProperty({ type: [CredentialFieldDto] }) credentials!: CredentialFieldDto[];
  @ApiProperty({ type: [OptionFieldDto] }) options!: OptionFieldDto[];
}

export class ChannelAdaptersDto {
  @ApiProperty({ type: [ChannelAdapterDto] }) data!: ChannelAdapterDto[];
}

export class RemovedChannelDto {
  @Shown.text('kbank') code!: string;
}

export class ChannelCheckDto {
  @Shown.text('statement') name!: string;
  @Shown.flag(true) ok!: boolean;
  @Shown.text('columns are set') detail!: string;
}

export class ChannelTestDto {
  @Shown.flag(true) ok!: boolean;
  @ApiProperty({ type: [ChannelCheckDto] }) checks!: ChannelCheckDto[];
}

export class SyncChannelDto {
  @Moment({
    optional: true,
    description: 'Read payments from this moment on, at most 31 days ago; without it, 3 days ago',
  })
  since?: string;
}

/** What the vendor's list changed. */
export class SyncedChannelDto {
  @Shown.text('opn') code!: string;
  @Shown.integer(40, 'How many paid or reversed payments the list has') seen!: number;
  @Shown.integer(0, 'How many entries of the list can’t be read. The log of the service names the first')
  unreadable!: number;
  @Shown.integer(1) new!: number;
  @Shown.integer(1) booked!: number;
  @Shown.integer(0) waiting!: number;
  @Shown.integer(0) taken_back!: number;
}

export class StatementsQueryDto extends ListQueryDto {
  @AnyChannel() channel?: string;
}

export class StatementDto {
  @Shown.integer(12) id!: number;
  @Shown.text('kbank') channel!: string;
  @Shown.text('6f5902ac237024bdd0c176cb93063dc4…') file_sha256!: string;
  @Shown.integer(120, 'Lines in the file, with lines that were imported before') lines!: number;
  @Shown.nullableText('10000.00', 'The balance before the first line, THB') opening!: string | null;
  @Shown.nullableText('125310.50') closing!: string | null;
  @Shown.nullableText('2026-11-23', 'The first day') from!: string | null;
  @Shown.nullableText('2026-11-24', 'The last day') to!: string | null;
  @Shown.text('nok@example.com') operator!: string;
  @Shown.moment() created_at!: string;
}

export class PreviewStatementDto {
  @Text(1, 32, { description: 'The code of the channel', example: 'kbank' }) channel!: string;
  @Day({
    optional: true,
    example: '2026-11-24',
    description: 'An imported day. Its lines may have other texts in the file, but no other amounts',
  })
  accept_texts_of?: string;
}

export class ImportStatementDto extends PreviewStatementDto {
  @Reason({ optional: true, description: 'For the log. Required with `accept_texts_of`' }) reason?: string;
}

/**
 * What an import does, or would do. `lines`, `opening` and `closing` are of the whole file. `repeated` counts lines
 * that were imported before. The other counts and amounts are of new lines.
 */
export class StatementImportDto {
  @Shown.text('kbank') channel!: string;
  @Shown.integer(120) lines!: number;
  @Shown.integer(20) new!: number;
  @Shown.integer(100, 'Lines that were imported before') repeated!: number;
  @Shown.integer(0, 'Lines that belong to payments which another witness reported before') linked!: number;
  @Shown.integer(18) in!: number;
  @Shown.text('18067.42', 'THB') in_amount!: string;
  @Shown.integer(17) booked!: number;
  @Shown.integer(1) waiting!: number;
  @Shown.integer(0) ignored!: number;
  @Shown.integer(2) out!: number;
  @Shown.text('500.00', 'THB') out_amount!: string;
  @Shown.nullableText('10000.00') opening!: string | null;
  @Shown.nullableText('125310.50') closing!: string | null;
  @Shown.nullableMoment() covered_until!: string | null;
  @ApiProperty({ type: [String], description: 'Days between earlier lines and this file. Their lines may be missing' })
  days_without_lines!: string[];
  @Shown.nullableText(null, 'Why the file was not imported; null if it was') refused!: string | null;
  @ApiProperty({ type: [String], description: 'The problems of a refused file, each with its line, at most 100' })
  problems!: string[];
  @Shown.nullableText(
    '2026-11-24',
    'The imported day whose lines have other texts in the file, if it was refused for that: send it as `accept_texts_of` to accept them',
  )
  changed_texts_of!: string | null;
}
