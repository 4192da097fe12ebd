import type { TestStack } from './stack.js';

/** Writes calls and attempts that stand in units and deliveries into rows of their own, as the previous version did. */
export const writeRowsAsBefore = (stack: Pick<TestStack, 'fill'>): Promise<void> =>
  stack.fill(`
    BEGIN;
    SET LOCAL session_replication_role = 'replica';
    INSERT INTO supplier_calls (order_id, item, unit, attempt, kind, outcome, process, duration_ms, ended_at)
    SELECT order_id, item, unit, attempt, 'send', 'succeeded', call_process, call_duration_ms, updated_at
    FROM order_units WHERE call_process IS NOT NULL;
    UPDATE order_units SET call_process = NULL, call_duration_ms = NULL WHERE call_process IS NOT NULL;
    INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, response_body)
    SELECT id, 1, first_started_at, first_duration_ms, first_response_status, first_response_body
    FROM webhook_deliveries WHERE first_started_at IS NOT NULL;
    UPDATE webhook_deliveries SET first_started_at = NULL, first_duration_ms = NULL, first_response_status = NULL,
      first_response_body = NULL;
    COMMIT`);
