import { formatBaht } from '../../core/money.js';
import type { NamedApproval } from './approvals.repository.js';

/** A request expires after this many days. */
export const APPROVAL_DAYS = 7;

/** What waits, for a message. */
export const inWords = ({ id, kind, amount, requester }: NamedApproval): string =>
  `request ${id} of ${requester} for a ${kind.replace('_', ' ')} of ${formatBaht(amount)} THB`;

/** What the audit log has of a request. */
export const detailOf = (approval: NamedApproval): Record<string, unknown> => {
  const { id, kind, amount, reference, payment, deposit_number } = approval;
  return {
    approval_id: id,
    kind,
    amount: formatBaht(amount),
    reference,
    ...(payment !== null && { payment, deposit_number }),
  };
};
