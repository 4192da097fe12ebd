import { formatBaht } from '../core/money.js';
import type { WalletDto } from './wallet.dto.js';
import type { Wallet } from './wallet.entity.js';

export function toWalletDto({ available, held, updated_at }: Wallet): WalletDto {
  return {
    currency: 'THB',
    available_amount: formatBaht(available),
    held_amount: formatBaht(held),
    updated_at: updated_at.toISOString(),
  };
}
