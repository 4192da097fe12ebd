import { DAY_MS } from '../../core/durations.js';
import { formatBaht } from '../../core/money.js';
import type { NamedApproval } from './approvals.repository.js';

/** A request expires after this many days. */
export const APPROVAL_DAYS = 7;
export const APPROVAL_MS = APPROVAL_DAYS * DAY_MS;

/** A request in words, for messages. */
export const inWords = ({ id, kind, amount, currency, requester }: NamedApproval): string =>
  `request ${id} of ${requester} for a ${kind.replace('_', ' ')} of ${formatBaht(amount)} ${currency}`;

/** A request's detail for the audit log. */
export const detailOf = (approval: NamedApproval): Record<string, unknown> => {
  const { id, kind, amount, currency, reference, payment, deposit_number } = approval;
  return {
    approval_id: id,
    kind,
    amount: formatBaht(amount),
    ...(currency !== 'THB' && { currency }),
    reference,
    ...(payment !== null && { payment, deposit_number }),
  };
};
