import { ApiProperty } from '@nestjs/swagger';
import {
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalKind,
  type ApprovalStatus,
} from '../../operators/approvals/approval.entity.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_SATANG } from '../../core/money.js';
import { MAX_INTEGER } from '../../core/pagination.js';
import { AmountUpTo, Integer, OneOf, Text } from '../../core/validation/member.decorators.js';
import { AnyId, AnyOf } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { ExpectedAvailable } from '../merchants/merchant-wallet.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { Reason } from '../reason.dto.js';

export class ApprovalsQueryDto extends ListQueryDto {
  @AnyOf(APPROVAL_STATUSES, 'The status') status?: string;
  @AnyId('The id of a merchant') merchant?: string;
}

export class RequestApprovalDto {
  @OneOf(APPROVAL_KINDS, {
    description:
      '`credit`: money into the wallet; `debit`: money out of the wallet; the others: a decision about a payment that arrived',
  })
  kind!: ApprovalKind;
  @Integer(1, Number(MAX_INTEGER), {
    optional: true,
    description: 'The merchant of the wallet: for `credit` and `debit`, and for `payment_credit` without a deposit',
    example: 7,
  })
  merchant_id?: number;
  @AmountUpTo(MAX_SATANG, {
    optional: true,
    example: '75000.00',
    description: 'For `credit` and `debit`: THB, more than `approval_above`. A payment has its own amount',
  })
  amount?: string;
  @Text(1, 128, {
    optional: true,
    example: 'bank-20260115-1',
    description: 'The reference of the movement; for `payment_return` that of the outgoing transfer',
  })
  reference?: string;
  @Text(1, 64, {
    optional: true,
    example: 'pay_4kQ2nD0sYvWcB8xR1tLmJ5',
    description: 'The payment that is decided about',
  })
  payment_id?: string;
  @Text(1, 64, { optional: true, example: 'dep_Np3O7rcsqNmBTwD7', description: 'The deposit of a `payment_credit`' })
  deposit_number?: string;
  @Text(1, 500, { optional: true, example: 'Transfer of Monday' }) note?: string;
  @Reason({ description: 'For the operator who decides, and for the log' }) reason!: string;
}

export class ApproveDto {
  @ExpectedAvailable() expected_available?: string;
}

export class RejectDto {
  @Reason({ description: 'For the requester, and for the log', example: 'the bank knows no such transfer' })
  reason!: string;
}

/**
 * A request for a movement of money, or for a decision about a payment. Until an operator approves, rejects or
 * withdraws it, `decided_by` and the later members are null.
 */
export class ApprovalDto {
  @Shown.integer(12) id!: number;
  @Shown.oneOf(APPROVAL_STATUSES, 'open') status!: ApprovalStatus;
  @ApiProperty({ type: MerchantNameDto, nullable: true, description: 'Null if no wallet changes' })
  merchant!: MerchantNameDto | null;
  @Shown.oneOf(APPROVAL_KINDS, 'credit') kind!: ApprovalKind;
  @Shown.nullableText('pay_4kQ2nD0sYvWcB8xR1tLmJ5', 'The payment that is decided about') payment!: string | null;
  @Shown.nullableText('dep_Np3O7rcsqNmBTwD7', 'The deposit to which the payment goes') deposit_number!: string | null;
  @Shown.text('75000.00') amount!: string;
  @Shown.text('THB', 'Only a payment may have another currency') currency!: string;
  @Shown.text('bank-20260115-1') reference!: string;
  @Shown.nullableText('Transfer of Monday') note!: string | null;
  @Shown.text('ticket 4711', 'The requester’s reason') reason!: string;
  @Shown.text('nok@example.com') requested_by!: string;
  @Shown.flag(false, 'Whether the caller is the requester') is_own!: boolean;
  @Shown.moment() created_at!: Date;
  @Shown.moment('The request expires at this time') expires_at!: Date;
  @Shown.nullableText('mali@example.com', 'The operator who approved, rejected or withdrew the request') decided_by!:
    string | null;
  @Shown.nullableMoment() decided_at!: Date | null;
  @Shown.nullableText('0.00', 'The part of an approved `payment_debit` that the wallet no longer had, THB; else null')
  missing!: string | null;
  @Shown.nullableText('the bank knows no such transfer', 'Why the request was rejected or withdrawn')
  decision_reason!: string | null;
}
