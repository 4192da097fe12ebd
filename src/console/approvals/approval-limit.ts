import type { Config } from '../../core/config.js';
import { formatBaht, type Satang } from '../../core/money.js';
import { refusal } from '../access/permission.js';

/** Whether an amount needs a second person's approval. */
export const needsApproval = (amount: Satang, { console: { approvalAbove } }: Pick<Config, 'console'>): boolean =>
  approvalAbove !== null && amount > approvalAbove;

/** @throws FORBIDDEN with APPROVAL_REQUIRED for an amount that needs a second person's approval. */
export function assertNeedsNoApproval(amount: Satang, config: Pick<Config, 'console'>): void {
  const { approvalAbove: limit } = config.console;
  if (limit === null || !needsApproval(amount, config)) return;
  const message = `More than ${formatBaht(limit)} THB are moved only when a second person approves it: ask for a deposit or withdrawal`;
  throw refusal('FORBIDDEN', 'amount', 'APPROVAL_REQUIRED', message);
}
