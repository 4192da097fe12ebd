import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Moment, Text } from '../../core/validation/member.decorators.js';
import { DepositDto } from '../../deposits/deposit.dto.js';
import { DEPOSIT_STATUSES } from '../../deposits/deposit.entity.js';
import { DEPOSIT_EVENTS } from '../../deposits/views.js';
import { SLIP_CODES } from '../../deposits/slips/slip-check.entity.js';
import { AnyId, AnyOf, AnyText } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';

export const AnyChannel = (): PropertyDecorator => AnyText(32, 'The code of a channel');

export class ConsoleDepositsQueryDto extends ListQueryDto {
  @AnyOf(DEPOSIT_STATUSES, 'The status') status?: string;
  @AnyId('The id of a merchant') merchant?: string;
  @AnyChannel() channel?: string;
  @Text(1, 128, { optional: true, description: 'Exactly our number or reference, or the merchant’s reference' })
  q?: string;
  @Moment({ optional: true, description: 'Created at or after' }) from?: string;
  @Moment({ optional: true, description: 'Created before' }) to?: string;
}

export class PresentedSlipDto {
  @Shown.text('014:202611241530XYZ01234', 'The sending bank, and its number of the transfer') reference!: string;
  @Shown.oneOf(['booked', 'checking', 'refused'], 'booked') status!: string;
  @Shown.nullableOneOf(SLIP_CODES, null, 'Why it was refused') code!: string | null;
  @Shown.nullableText('pay_4kQ2nD0sYvWcB8xR1tLmJ5', 'The payment that it reports, which may be for another deposit')
  payment_id!: string | null;
  @Shown.moment() presented_at!: string;
}

export class ConsoleDepositDto extends OmitType(DepositDto, ['slip'] as const) {
  @ApiProperty({ type: PresentedSlipDto, nullable: true, description: 'The last slip that was presented' })
  slip!: PresentedSlipDto | null;

  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('DH7K3M9QX2B4', 'Our reference, which a biller’s QR code carries') reference!: string;
  @Shown.moment('Until then, a payment of its amount counts for this deposit') hold_until!: string;
}

export class DepositEventDto {
  @Shown.moment() at!: string;
  @Shown.oneOf(DEPOSIT_EVENTS, 'paid') event!: string;
  @Shown.text('1003.71 THB, pay_4kQ2nD0sYvWcB8xR1tLmJ5, recognized by amount') detail!: string;
}

export class DepositDetailDto extends ConsoleDepositDto {
  @ApiProperty({ type: [DepositEventDto], description: 'What happened to it, in the order of time' })
  timeline!: DepositEventDto[];
  @ApiProperty({ type: [PresentedSlipDto], description: 'The slips that were presented for it, oldest first' })
  slips!: PresentedSlipDto[];
}
