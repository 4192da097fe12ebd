import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../core/http/answer.decorators.js';
import { ENTRY_KINDS, type EntryKind, type WalletEntry } from './entries.js';
import type { Satang } from '../core/money.js';
import { AmountUpTo } from '../core/validation/member.decorators.js';

export class WalletDto {
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiProperty({ example: '9930.00', description: 'The balance that orders are paid from' })
  available_amount!: string;
  @ApiProperty({ example: '70.00', description: 'Held for open orders' })
  held_amount!: string;
  @ApiMoment() updated_at!: string;
}

/** One movement into or out of the available balance. */
export class WalletEntryDto implements WalletEntry {
  @ApiProperty({ type: 'integer', example: 42 }) id!: number;
  @ApiProperty({ enum: ENTRY_KINDS, example: 'order_hold' }) kind!: EntryKind;
  @ApiProperty({
    example: '-70.00',
    description: 'Negative when it reduced the available balance',
  })
  amount!: string;
  @ApiProperty({ example: '9930.00' }) available_amount_after!: string;
  @ApiNullableText(
    'order-1001',
    'The order’s reference_id; for a payment, `deposit:` and its id, and for a debit that takes it back also `:back`, `:back2` and so on; for any other credit or debit, its reference',
  )
  reference_id!: string | null;
  @ApiNullableText('ord_Np3O7rcsqNmBTwD7') order_number!: string | null;
  @ApiMoment() created_at!: string;
}

/** The maximum that a sandbox merchant may credit itself at a time: a million baht. */
const MAX_SANDBOX_CREDIT: Satang = 100_000_000n;

/** The body of POST /v1/sandbox/wallet/credit. */
export class SandboxCreditDto {
  @AmountUpTo(MAX_SANDBOX_CREDIT, { example: '1000.00', description: 'The amount, THB' })
  amount!: string;
}
