import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_SATANG } from '../../core/money.js';
import { Amount, AmountUpTo, Fitting, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { WalletEntryDto } from '../../wallet/wallet.dto.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantWalletDto } from './merchant.dto.js';

export class StatementQueryDto extends ListQueryDto {
  @OneOf(['funding'], { optional: true, description: 'Only credits and debits' }) kind?: 'funding';
}

export class StatementPeriodDto {
  @Moment({ optional: true, description: 'At or after' }) from?: string;
  @Moment({ optional: true, description: 'Before' }) to?: string;
}

export class MonthQueryDto {
  @Fitting((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'must be a month such as 2026-01', { example: '2026-01' })
  month!: string;
}

/** An entry of a wallet, with members that only operators see. */
export class ConsoleEntryDto extends WalletEntryDto {
  @Shown.nullableText('Transfer of Monday') note!: string | null;
  @Shown.nullableText('nok@example.com', 'The operator who moved the money; null for orders') operator!: string | null;
  @Shown.nullableText('mali@example.com', 'The operator who approved the movement; null if no approval was needed')
  approved_by!: string | null;
}

export const ExpectedAvailable = (): PropertyDecorator =>
  Amount({
    optional: true,
    example: '9930.00',
    description: 'The available balance that the page showed. 409 CHANGED_MEANWHILE if the present balance differs',
  });

export class MoveDto {
  @AmountUpTo(MAX_SATANG, { example: '1000.00', description: 'THB' }) amount!: string;
  @Text(1, 128, {
    example: 'bank-20260115-1',
    description: 'Your reference of the payment. A repetition with the same amount moves nothing',
  })
  reference!: string;
  @Text(1, 500, { optional: true, example: 'Transfer of Monday' }) note?: string;
  @ExpectedAvailable() expected_available?: string;
}

export class MovedDto {
  @Shown.flag(true, 'False if the money had already moved under this reference') moved!: boolean;
  @Shown.moment('When the money moved') at!: Date;
  @Shown.nullableText('nok@example.com') operator!: string | null;
  @ApiProperty({ type: MerchantWalletDto }) wallet!: MerchantWalletDto;
}

export class AlertDto {
  @AmountUpTo(MAX_SATANG, { example: '500.00', description: 'THB' }) below!: string;
}
