import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_INTEGER } from '../../core/pagination.js';
import { Amount, Integer, OneOf, Text } from '../../core/validation/member.decorators.js';
import { DEPOSIT_STATUSES } from '../../deposits/deposit.entity.js';
import { ExpectedAvailable } from '../merchants/merchant-wallet.dto.js';
import { AnyId } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { Reason } from '../reason.dto.js';
import { AnyChannel } from './deposit.dto.js';

const STATES = ['waiting', 'booked', 'returned', 'ignored'];
const DECISIONS = ['credit', 'return', 'ignore', 'debit', 'keep'];

export class PaymentsQueryDto extends ListQueryDto {
  @OneOf(['waiting', 'cases'], {
    optional: true,
    description: 'Only payments that wait, or only open cases, oldest first; without it all payments, newest first',
  })
  which?: 'waiting' | 'cases';
  @AnyChannel() channel?: string;
  @AnyId('The id of a merchant: payments credited to it; with `waiting`, those probably for it') merchant?: string;
  @Amount({ optional: true, example: '1003.71' }) amount?: string;
}

const WITNESSED =
  'When the witness reported the payment. For a slip: when it was first presented, or when the payment was first reported, whichever is later';

export class WitnessDto {
  @Shown.oneOf(['charge', 'slip', 'line'], 'line') kind!: string;
  @Shown.text('4711') reference!: string;
  @Shown.moment(WITNESSED) seen_at!: string;
}

const OF_DEPOSIT = 'Null if the payment names the merchant, and no deposit';

/** A deposit that a waiting payment may be for, or a merchant that it names. */
export class SuggestionDto {
  @Shown.nullableText('dep_Np3O7rcsqNmBTwD7', OF_DEPOSIT) deposit_number!: string | null;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.nullableText('1003.71', 'THB') amount_to_pay!: string | null;
  @Shown.nullableOneOf(DEPOSIT_STATUSES, 'expired') status!: string | null;
  @Shown.nullableMoment() created_at!: string | null;
  @Shown.oneOf(['metadata', 'amount'], 'amount') why!: string;
}

export class DecisionMadeDto {
  @Shown.oneOf(DECISIONS, 'credit') decision!: string;
  @Shown.text('nok@example.com') operator!: string;
  @Shown.text('1.00 too little, asked by phone') reason!: string;
  @Shown.moment() at!: string;
  @ApiProperty({ required: false, description: 'The reference of the outgoing transfer, if it was returned' })
  reference?: string;
}

export class PaymentDto {
  @Shown.text('pay_4kQ2nD0sYvWcB8xR1tLmJ5') id!: string;
  @Shown.text('kbank') channel!: string;
  @Shown.text('1003.71') amount!: string;
  @Shown.text('THB') currency!: string;
  @Shown.moment('By the channel’s clock') paid_at!: string;
  @Shown.oneOf(['second', 'minute', 'day'], 'minute') precision!: string;
  @Shown.oneOf(STATES, 'waiting') state!: 'waiting' | 'booked' | 'returned' | 'ignored';
  @Shown.nullableText('UNMATCHED', 'Why it waits, or why a booked payment is a case') reason!: string | null;
  @Shown.nullableOneOf(['reference', 'amount', 'person'], 'amount') booked_by!: string | null;
  @ApiProperty({ type: MerchantNameDto, nullable: true, description: 'Whose wallet was credited' })
  merchant!: MerchantNameDto | null;
  @Shown.nullableText('dep_Np3O7rcsqNmBTwD7') deposit_number!: string | null;
  @Shown.nullableInteger(5012) transfer_id!: number | null;
  @Shown.nullableText('1003.71', 'The amount that the vendor took back') taken_back_amount!: string | null;
  @Shown.nullableText(
    '1003.71',
    'The amount that a debit would take back, if the wallet has it; null if no debit is possible',
  )
  to_take_back!: string | null;
  @Shown.flag(false, 'Whether a witness reports another amount') contradicted!: boolean;
  @Shown.flag(false, 'Whether it is an open case') is_open_case!: boolean;
  @Shown.text('UNMATCHED 0 false', 'Changes when a report about the payment may change a decision') version!: string;
  @Shown.moment('When we first learned of it') seen_at!: string;
  @Shown.nullableText(
    'Transfer from X1234 SOMCHAI',
    'What the statement says; null for operators who may not read players',
  )
  text!: string | null;
  @ApiProperty({ type: [WitnessDto] }) witnesses!: WitnessDto[];
  @Shown.nullableText('nok@example.com', 'Who imported the statement with its line') imported_by!: string | null;
  @ApiProperty({ type: [SuggestionDto], description: 'The most probable first' }) suggestions!: SuggestionDto[];
  @ApiProperty({ type: DecisionMadeDto, nullable: true, description: 'The last decision of an operator' })
  decision!: DecisionMadeDto | null;
}

export class DecidedPaymentDto extends PaymentDto {
  @Shown.text('0.00', 'The part of a debit that the wallet no longer had, THB') missing!: string;
}

export class CreditPaymentDto {
  @Text(1, 64, { optional: true, example: 'dep_Np3O7rcsqNmBTwD7', description: 'The deposit that it is for' })
  deposit_number?: string;
  @Integer(1, Number(MAX_INTEGER), {
    optional: true,
    example: 7,
    description: 'In place of a deposit: the merchant that it is for',
  })
  merchant_id?: number;
  @Text(1, 64, { optional: true, description: 'The `version` that the operator saw. 409 if it is another one now' })
  expected_version?: string;
  @Reason() reason!: string;
}

export class ReturnPaymentDto {
  @Text(1, 128, { example: '202611250915ABC', description: 'The bank’s reference of the outgoing transfer' })
  reference!: string;
  @Reason() reason!: string;
}

export class DebitPaymentDto {
  @ExpectedAvailable() expected_available?: string;
  @Amount({
    optional: true,
    example: '1003.71',
    description: 'The `to_take_back` that the operator saw. If it is another one now, nothing is moved: 409',
  })
  expected_to_take_back?: string;
  @Reason() reason!: string;
}
