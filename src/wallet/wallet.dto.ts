import { ApiProperty } from '@nestjs/swagger';
import { formatBaht } from '../core/money.js';
import { ENTRY_KINDS, type EntryKind, type WalletEntry } from './entries.js';
import type { Wallet } from './wallet.entity.js';

export class WalletDto {
  @ApiProperty({ type: String, example: 'THB' }) currency!: string;
  @ApiProperty({ type: String, example: '9930.00', description: 'The balance that orders are paid from' })
  available_amount!: string;
  @ApiProperty({ type: String, example: '70.00', description: 'Held for open orders' })
  held_amount!: string;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  updated_at!: string;
}

export function toWalletDto({ available, held, updated_at }: Wallet): WalletDto {
  return {
    currency: 'THB',
    available_amount: formatBaht(available),
    held_amount: formatBaht(held),
    updated_at: updated_at.toISOString(),
  };
}

/** One line of the statement of the available balance. */
export class WalletEntryDto implements WalletEntry {
  @ApiProperty({ type: 'integer', example: 42 }) id!: number;
  @ApiProperty({ type: String, enum: ENTRY_KINDS, example: 'order_hold' }) kind!: EntryKind;
  @ApiProperty({
    type: String,
    example: '-70.00',
    description: 'Negative when it reduced the available balance',
  })
  amount!: string;
  @ApiProperty({ type: String, example: '9930.00' }) available_amount_after!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'order-1001',
    description: 'The order’s reference_id; for a credit or debit, the operator’s reference',
  })
  reference_id!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!:
    string | null;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  created_at!: string;
}
