import { ApiProperty } from '@nestjs/swagger';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../../operators/approvals/approval.entity.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { MAX_SATANG } from '../../core/money.js';
import { AmountUpTo, Integer, OneOf, Text } from '../../core/validation/member.decorators.js';
import { Id, ListQueryDto } from '../orders/order-queries.dto.js';
import { ExpectedAvailable } from '../merchants/merchant-wallet.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';
import { Reason } from '../reason.dto.js';

const KINDS = ['credit', 'debit'] as const;
const MAX_ID = 2_147_483_647;

export class ApprovalsQueryDto extends ListQueryDto {
  @OneOf(APPROVAL_STATUSES, { optional: true }) status?: ApprovalStatus;
  @Id('The id of a merchant') merchant?: string;
}

export class RequestApprovalDto {
  @Integer(1, MAX_ID, { description: 'The merchant whose wallet it is', example: 7 }) merchant_id!: number;
  @OneOf(KINDS, { description: '`credit`: money into the wallet; `debit`: money out of the wallet' })
  kind!: (typeof KINDS)[number];
  @AmountUpTo(MAX_SATANG, { example: '75000.00', description: 'THB, more than `approval_above`' }) amount!: string;
  @Text(1, 128, { example: 'bank-20260115-1', description: 'The reference of the movement' }) reference!: string;
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

/** A requested movement of money, and the decision about it. Without a decision, `decided_by` and the later members are null. */
export class ApprovalDto {
  @Shown.integer(12) id!: number;
  @Shown.oneOf(APPROVAL_STATUSES, 'open') status!: ApprovalStatus;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.oneOf(KINDS, 'credit') kind!: 'credit' | 'debit';
  @Shown.text('75000.00', 'THB') amount!: string;
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
  @Shown.nullableText('the bank knows no such transfer', 'Why the request was rejected or withdrawn')
  decision_reason!: string | null;
}
