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

/** Actions whose detail names one product or several. The list must equal the one of `ix_operator_actions_product`. */
const PRODUCT_ACTIONS = `
  ('product.set', 'product.import', 'offer.set', 'offer.remove', 'price.set', 'price.clear', 'price.import', 'price.adjust')`;

/** The latest actions on a product, of one operator or of all. */
export const HISTORY_OF_PRODUCT = statement(
  'audit_log.of_product',
  { sku: 'text', operatorId: 'int?', limit: 'int' },
  ({ sku, operatorId, limit }) => `
    SELECT id, created_at, operator, action, merchant_id, detail FROM operator_actions
    WHERE action IN ${PRODUCT_ACTIONS}
      AND (detail @> jsonb_build_object('sku', ${sku})
        OR detail @> jsonb_build_object('changes', jsonb_build_array(jsonb_build_object('sku', ${sku}))))
      AND (${operatorId} IS NULL OR operator_id = ${operatorId})
    ORDER BY id DESC LIMIT ${limit}`,
);
