import { statement } from '../database/parameters.js';

export const RECORD_ACTION = statement(
  'audit_log.record',
  {
    ...({ operator: 'text', operatorId: 'int?', source: 'text', ip: 'text?', requestId: 'text?' } as const),
    idempotencyKey: 'text?',
    ...({ action: 'text', merchantId: 'int?', orderId: 'bigint?', detail: 'text' } as const),
  },
  ({ operator, operatorId, source, ip, requestId, idempotencyKey, action, merchantId, orderId, detail }) => `
    INSERT INTO operator_actions
      (operator, operator_id, source, ip, request_id, idempotency_key, action, merchant_id, order_id, detail, created_at)
    VALUES (${operator}, ${operatorId}, ${source}, ${ip}, ${requestId}, ${idempotencyKey}, ${action}, ${merchantId},
            ${orderId}, ${detail}::jsonb, date_trunc('milliseconds', statement_timestamp()))`,
);
