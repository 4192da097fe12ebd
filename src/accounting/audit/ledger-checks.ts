import { counted } from '../../core/text.js';
import { formatBaht } from '../../core/money.js';
import type { Check } from './check.sql.js';

/** Rules about wallets and their movements, which `ledger.ts` checks. */
export const LEDGER_CHECKS = {
  available: {
    name: 'available_balances',
    describe: ({ checked = 0n, available = 0n, credits = 0n, debits = 0n, holds = 0n, refunds = 0n }) =>
      `${counted(checked, 'wallet')}, available ${formatBaht(available)} = credits ${formatBaht(credits)} ` +
      `- debits ${formatBaht(debits)} - holds ${formatBaht(holds)} + refunds ${formatBaht(refunds)}`,
  },
  held: {
    name: 'held_balances',
    describe: ({ checked = 0n, held = 0n, holds = 0n, spends = 0n, refunds = 0n }) =>
      `${counted(checked, 'wallet')}, held ${formatBaht(held)} = holds ${formatBaht(holds)} ` +
      `- spends ${formatBaht(spends)} - refunds ${formatBaht(refunds)}`,
  },
  entries: {
    name: 'double_entry',
    describe: ({ checked = 0n, moved = 0n }) => `${counted(checked, 'transfer')} of ${formatBaht(moved)} in total`,
  },
  statements: {
    name: 'statements',
    describe: ({ checked = 0n, merchants = 0n }) =>
      `${counted(checked, 'transfer')} of ${counted(merchants, 'merchant')}, each balance following from the one before`,
  },
} satisfies Record<string, Check>;

/** The rule about closed months. */
export const CLOSINGS_CHECK: Check = {
  name: 'closed_months',
  describe: ({ checked = 0n, wallets = 0n }) =>
    checked === 0n
      ? 'no month is closed'
      : `${counted(checked, 'month')}, the last with ${counted(wallets, 'wallet')}, each continuing the one before`,
};
