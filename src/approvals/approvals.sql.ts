import { statement } from '../database/parameters.js';
import { HANDED_OVER } from './hand-over.js';

const ACTIONS = Object.keys(HANDED_OVER)
  .map((action) => `'${action}'`)
  .join(', ');

const emailOf = (id: string): string => `(SELECT email FROM operators WHERE id = ${id})`;

/** The last time that one of two operators did so to the other's account. Read by the time: so many days of the log at most. */
export const FIND_HAND_OVER = statement(
  'approvals.find_hand_over',
  { requester: 'int', approver: 'int', days: 'int' },
  ({ requester, approver, days }) => `
    SELECT operator, action, detail ->> 'operator' AS account, created_at FROM operator_actions
    WHERE action IN (${ACTIONS}) AND created_at >= statement_timestamp() - make_interval(days => ${days})
      AND (operator_id = ${requester} AND detail ->> 'operator' = ${emailOf(approver)}
        OR operator_id = ${approver} AND detail ->> 'operator' = ${emailOf(requester)})
    ORDER BY created_at DESC LIMIT 1`,
);
