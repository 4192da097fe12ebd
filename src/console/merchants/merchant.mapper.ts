import type { MerchantToday } from '../../accounting/reports/merchant-stats.repository.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, formatBaht } from '../../core/money.js';
import type { Merchant } from '../../merchants/merchant.entity.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import type { ConsoleMerchantDto, MerchantWalletDto } from './merchant.dto.js';

export const toConsoleMerchantDto = (
  merchant: Merchant,
  today: MerchantToday | undefined,
  wallet: Wallet | undefined,
): ConsoleMerchantDto => ({
  ...pick(merchant, 'id', 'name', 'status', 'sandbox', 'weight', 'created_at'),
  today: { orders: today?.orders ?? 0, failed: today?.failed ?? 0 },
  last_order_at: today?.last_order_at ?? null,
  wallet: wallet ? toMerchantWalletDto(wallet) : null,
});

export const toMerchantWalletDto = (wallet: Wallet): MerchantWalletDto => ({
  available_amount: formatBaht(wallet.available),
  held_amount: formatBaht(wallet.held),
  alert_below: bahtOrNull(wallet.alert_below),
  is_low: isLow(wallet),
  updated_at: wallet.updated_at,
});

export const isLow = ({ available, alert_below: alert }: Pick<Wallet, 'available' | 'alert_below'>): boolean =>
  alert !== null && available < alert;
