import { statement } from '../database/parameters.js';

export const RECORD_ACTION = statement(
  'audit_log.record',
  { operator: 'text', action: 'text', merchantId: 'int?', orderId: 'bigint?', detail: 'text' },
  ({ operator, action, merchantId, orderId, detail }) => `
    INSERT INTO operator_actions (operator, action, merchant_id, order_id, detail, created_at)
    VALUES (${operator}, ${action}, ${merchantId}, ${orderId}, ${detail}::jsonb,
            date_trunc('milliseconds', statement_timestamp()))`,
);
