import { statement } from '../../database/parameters.js';
import { HANDED_OVER } from './hand-over.js';

const ACTIONS = Object.keys(HANDED_OVER)
  .map((action) => `'${action}'`)
  .join(', ');

/**
 * Who made one of two operators' accounts and is the other, whenever that was; or who made both of them, one within so many
 * days.
 */
export const FIND_MAKER = statement(
  'approvals.find_maker',
  { requester: 'int', approver: 'int', days: 'int' },
  ({ requester, approver, days }) => `
    SELECT m.email AS maker, made.email AS account, made.created_at
    FROM operators made
    JOIN operators other ON other.id <> made.id AND other.id IN (${requester}, ${approver})
    JOIN operators m ON m.id = made.created_by
    WHERE made.id IN (${requester}, ${approver})
      AND (made.created_by = other.id
        OR made.created_by = other.created_by
          AND made.created_at >= statement_timestamp() - make_interval(days => ${days}))
    ORDER BY made.created_at DESC LIMIT 1`,
);

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
