import { rowsOf, statement } from '../database/parameters.js';
import type { Event } from './event.entity.js';

/** Writes events, and a delivery for each active webhook that subscribes to the event. */
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

export type EventRow = Pick<Event, 'id' | 'body'>;

/**
 * A merchant's events of some kinds, oldest first. The index `ix_events_page` sorts each kind separately by `id + 0`.
 * So the statement reads a page of each kind, and returns the oldest events of these pages. Ids follow the order of
 * commits (`recordEvents`).
 */
export const PAGE_OF_EVENTS = statement(
  'events.page',
  { merchantId: 'int', kinds: 'text[]', after: 'bigint', limit: 'int' },
  ({ merchantId, kinds, after, limit }) => `
    SELECT e.id, e.body
    FROM (
      SELECT found.id
      FROM unnest(${kinds}) AS kind, LATERAL (
        SELECT p.id FROM events p
        WHERE p.merchant_id = ${merchantId} AND p.kind = kind.kind AND p.id + 0 > ${after}
        ORDER BY p.id + 0 LIMIT ${limit}) AS found
      ORDER BY found.id LIMIT ${limit}) AS page
    JOIN events e ON e.id = page.id
    ORDER BY e.id`,
);

export const FIND_EVENT = statement(
  'events.find',
  { merchantId: 'int', publicId: 'text' },
  ({ merchantId, publicId }) => `
    SELECT id, body FROM events WHERE public_id = ${publicId} AND merchant_id = ${merchantId}`,
);
