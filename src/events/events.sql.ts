import { rowsOf, statement } from '../database/parameters.js';

/** Makes a delivery, too, for each active webhook that subscribes to an event. */
export const RECORD_EVENTS = statement(
  'events.record',
  {
    events: rowsOf({
      public_id: 'text',
      merchant_id: 'int',
      kind: 'text',
      order_id: 'bigint?',
      reference_id: 'text?',
      body: 'text',
      created_at: 'timestamptz',
    }),
  },
  ({ events }) => `
    WITH recorded AS (
      INSERT INTO events (${events.names})
      SELECT * FROM ${events.unnest}
      RETURNING id, merchant_id, kind, created_at)
    INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
    SELECT webhooks.id, recorded.id, recorded.kind, recorded.created_at, recorded.created_at, recorded.created_at
    FROM recorded JOIN webhooks ON webhooks.merchant_id = recorded.merchant_id
    WHERE webhooks.deleted_at IS NULL AND webhooks.status = 'active' AND recorded.kind = ANY (webhooks.events)
    ORDER BY recorded.id, webhooks.id
    RETURNING webhook_id`,
);
