import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText, meanings, Shown } from '../core/http/answer.decorators.js';
import { DEPOSIT_STATUSES, type DepositStatus } from './deposit.entity.js';
import { SLIP_CODES, type SlipCode } from './slips/slip-check.entity.js';

const Amount = (example: string, description: string): PropertyDecorator =>
  ApiProperty({ example, pattern: '^\\d+\\.\\d{2}$', description: `${description}, THB` });

/** A credited payment. */
export class DepositPaymentDto {
  @Shown.text('pay_4kQ2nD0sYvWcB8xR1tLmJ5', 'Your statement shows the credit as `deposit:` and this id') id!: string;
  @Amount('1003.71', 'What arrived and was credited') amount!: string;
  @ApiMoment({ description: 'By the clock of the bank or vendor' }) paid_at!: string;
  @ApiMoment() booked_at!: string;
  @Shown.flag(false, 'Whether it was paid after `expires_at`') late!: boolean;
}

/** What became of a slip. */
export interface DepositSlipDto {
  status: 'booked' | 'checking' | 'refused';
  code: SlipCode | null;
}

const SLIP_MEANINGS: Readonly<Record<SlipCode, string>> = {
  SLIP_WRONG_RECEIVER: 'it shows a payment to another account',
  SLIP_UNKNOWN: 'the sending bank did not confirm it',
  NOT_IN_STATEMENT: 'the statement of the account does not show it',
  SLIP_NOT_FOR_THIS_DEPOSIT:
    'its payment was not credited to this deposit: it is for another one, or an operator decides',
};

/** A payment into the wallet, as the merchant announced it. */
export class DepositDto {
  @Shown.text('dep_Np3O7rcsqNmBTwD7', 'Deposits can’t be looked up by it') deposit_number!: string;
  @Shown.text('deposit-1001') reference_id!: string;
  @ApiProperty({
    enum: DEPOSIT_STATUSES,
    example: 'pending',
    description:
      'An `expired` or `cancelled` deposit becomes `paid` if its payment arrives after all. A `paid` deposit stays `paid`',
  })
  status!: DepositStatus;
  @Shown.text('kbank', 'The account that is paid, by the operator’s name for it') channel!: string;
  @Shown.text('THB') currency!: string;
  @Amount('1000.00', 'What you asked for') amount!: string;
  @Amount('1003.71', 'What the payer must send, to the satang: show this one, never `amount`') amount_to_pay!: string;
  @Amount('0.00', 'What was credited') paid_amount!: string;
  @ApiNullableText('00020101021229370016A0000006770101110113006681234567853037645407…', 'The text of the QR code')
  qr_payload!: string | null;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0i…',
    description: 'The QR code for the `src` of an image; null unless `pending`. Absent from lists and events',
  })
  qr_image?: string | null;
  @ApiMoment({ description: 'When the deposit expires. A later payment is still credited, and is `late`' })
  expires_at!: string;
  @ApiMoment({ nullable: true, description: 'When the first credited payment was paid' }) paid_at!: string | null;
  @ApiProperty({ type: [DepositPaymentDto], description: 'Oldest first' }) payments!: DepositPaymentDto[];
  @ApiProperty({
    type: 'object',
    nullable: true,
    selfRequired: true,
    required: ['status', 'code'],
    properties: {
      status: {
        type: 'string',
        enum: ['booked', 'checking', 'refused'],
        description:
          '`checking`: the sending bank has not confirmed it yet. The payment of a refused slip still counts when it arrives',
      },
      code: {
        type: 'string',
        nullable: true,
        enum: [...SLIP_CODES, null],
        description: meanings('Why it is refused', SLIP_MEANINGS),
      },
    },
    example: null,
    description: 'What became of the last slip that was presented; null if there was none',
  } as never)
  slip!: DepositSlipDto | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { till: '3' },
    description: 'Your own texts, as they were given; empty when there are none',
  })
  metadata!: Record<string, string>;
  @Shown.oneOf(['api', 'operator'], 'api', 'Who made it') source!: 'api' | 'operator';
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
}

/** The data of a `deposit.paid` event. */
export class PaidDepositDto extends DepositDto {
  @ApiProperty({ type: DepositPaymentDto, description: 'The payment that the event is about' })
  payment!: DepositPaymentDto;
}
