import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_SATANG } from '../../core/money.js';
import { Amount, AmountUpTo, Moment, OneOf, Text } from '../../core/validation/member.decorators.js';
import { WalletEntryDto } from '../../wallet/wallet.dto.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantWalletDto } from './merchant.dto.js';

export class StatementQueryDto extends ListQueryDto {
  @OneOf(['funding'], { optional: true, description: 'Only what operators moved' }) kind?: 'funding';
}

export class StatementPeriodDto {
  @Moment({ optional: true, description: 'At or after' }) from?: string;
  @Moment({ optional: true, description: 'Before' }) to?: string;
}

/** A line of the statement, with members that only operators see. */
export class ConsoleEntryDto extends WalletEntryDto {
  @Shown.nullableText('Transfer of Monday') note!: string | null;
  @Shown.nullableText('nok@example.com', 'Who moved it; null for orders') operator!: string | null;
  @Shown.nullableText('mali@example.com', 'Who approved what the operator asked for; null where nobody had to')
  approved_by!: string | null;
}

export const ExpectedAvailable = (): PropertyDecorator =>
  Amount({
    optional: true,
    example: '9930.00',
    description: 'What was available when this was decided: 409 CHANGED_MEANWHILE when it is not any more',
  });

export class MoveDto {
  @AmountUpTo(MAX_SATANG, { example: '1000.00', description: 'THB' }) amount!: string;
  @Text(1, 128, {
    example: 'bank-20260115-1',
    description: 'Yours of the payment. The same one with the same amount moves nothing again',
  })
  reference!: string;
  @Text(1, 500, { optional: true, example: 'Transfer of Monday' }) note?: string;
  @ExpectedAvailable() expected_available?: string;
}

export class MovedDto {
  @Shown.flag(true, 'False where it was done before: then nothing moved') moved!: boolean;
  @Shown.moment('When the money moved') at!: Date;
  @Shown.nullableText('nok@example.com') operator!: string | null;
  @ApiProperty({ type: MerchantWalletDto }) wallet!: MerchantWalletDto;
}

export class AlertDto {
  @AmountUpTo(MAX_SATANG, { example: '500.00', description: 'THB' }) below!: string;
}
