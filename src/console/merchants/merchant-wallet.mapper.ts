import { formatBaht } from '../../core/money.js';
import type { StatementRow } from '../../accounting/reports/statement.service.js';
import { toEntry } from '../../wallet/entries.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import type { MerchantWalletDto } from './merchant.dto.js';
import type { ConsoleEntryDto } from './merchant-wallet.dto.js';

export const toMerchantWalletDto = ({
  available,
  held,
  alert_below: alert,
  updated_at,
}: Wallet): MerchantWalletDto => ({
  available_amount: formatBaht(available),
  held_amount: formatBaht(held),
  alert_below: alert === null ? null : formatBaht(alert),
  is_low: isLow({ available, alert_below: alert }),
  updated_at: updated_at.toISOString(),
});

export const isLow = ({ available, alert_below: alert }: Pick<Wallet, 'available' | 'alert_below'>): boolean =>
  alert !== null && available < alert;

export const toConsoleEntryDto = (row: StatementRow): ConsoleEntryDto => ({
  ...toEntry(row),
  note: row.note,
  operator: row.operator,
  approved_by: row.approved_by,
});
