import { rowsOf, statement, type RowsInText } from '../database/parameters.js';
import { unitReferenceIn } from '../orders/order.rows.js';

const ATTEMPT = { order_id: 'bigint', item: 'smallint', unit: 'smallint', attempt: 'smallint' } as const;

/** What is written of an attempt before anything is sent under its reference. */
export const BEGIN_ATTEMPT_COLUMNS = 'order_id, item, unit, number, supplier_id, supplier_sku, reference';

/**
 * The reference of an attempt that begins, in SQL: at random, or after the unit, with the attempt's number from the second
 * one on.
 * @param order and unit what the statement calls the rows; the unit's has `attempt` and `named_at_random`.
 */
export const attemptReference = (order: string, unit: string): string => `
  CASE WHEN ${unit}.named_at_random THEN random_reference()
       ELSE ${unitReferenceIn(order, unit)} || CASE WHEN ${unit}.attempt > 1 THEN '.' || ${unit}.attempt ELSE '' END END`;

/** Keeps what suppliers tell of these attempts; what is known already and not told again stays. */
export const NOTE_ATTEMPTS = statement(
  'unit_attempts.note',
  {
    attempts: rowsOf({
      ...ATTEMPT,
      supplier_reference: 'text?',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      unconfirmed: 'text?',
    }),
  },
  ({ attempts }) => `
    UPDATE unit_attempts a SET
      supplier_reference = coalesce(a.supplier_reference, c.supplier_reference),
      cost_micros = coalesce(c.cost_micros, a.cost_micros),
      cost_currency = coalesce(c.cost_currency, a.cost_currency),
      unconfirmed = coalesce(c.unconfirmed, a.unconfirmed)
    FROM ${attempts.as('c')}
    WHERE a.order_id = c.order_id AND a.item = c.item AND a.unit = c.unit AND a.number = c.attempt`,
);

/** A unit that is bought in another attempt. */
export interface NextAttempt {
  order_id: bigint;
  item: number;
  unit: number;
  /** The number of the attempt that begins. */
  attempt: number;
  supplier_id: number;
  /** The code of its supplier. */
  supplier: string;
  due_in_ms: number;
}

/** The units that are still at the attempts that ended, with what those asked for; locked in the order of their keys. */
const heldBy = (ended: RowsInText, deadlineMs: string): string => `
      SELECT c.*, u.supplier_id, coalesce(a.supplier_sku, i.supplier_sku) AS supplier_sku, a.player_template,
             a.expected_cost_micros, a.max_cost_micros, a.cost_currency, a.baht_per_unit, o.order_number
      FROM ${ended.as('c')}
      JOIN order_units u ON u.order_id = c.order_id AND u.item = c.item AND u.unit = c.unit AND u.attempt = c.attempt
      JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
      JOIN orders o ON o.id = u.order_id
      LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
      WHERE (u.claim = c.claim OR c.claim IS NULL)
        AND CASE c.ended_as
              WHEN 'failed' THEN u.state IN ('sending', 'unknown', 'review')
              ELSE u.unknown_since IS NULL AND (u.state = 'sending' AND u.claim = c.claim
                                                OR u.state = 'queued' AND u.claimed_by IS NULL) END
        AND NOT EXISTS (SELECT FROM unit_attempts first
                        WHERE first.order_id = u.order_id AND first.item = u.item AND first.unit = u.unit
                          AND first.number = 1
                          AND first.created_at < statement_timestamp() - make_interval(secs => ${deadlineMs} / 1000.0))
      ORDER BY u.order_id, u.item, u.unit FOR NO KEY UPDATE OF u`;

/**
 * Ends the attempt that a unit is at and begins another one, where there is something to try: the same again under
 * another reference, as the supplier asked for. Only for a definite refusal (`failed`), or where certainly no send was
 * accepted (`withdrawn`): never while anything is in doubt. Answers to older claims and attempts change nothing.
 */
export const BEGIN_NEXT_ATTEMPTS = statement(
  'unit_attempts.begin_next',
  {
    ended: rowsOf({
      ...ATTEMPT,
      claim: 'int?',
      ended_as: 'text',
      failure_code: 'text?',
      failure_message: 'text?',
      retry_after_ms: 'int?',
    }),
    namedAtRandom: 'text[]',
    maxRetries: 'int',
    deadlineMs: 'bigint',
  },
  ({ ended, namedAtRandom, maxRetries, deadlineMs }) => `
    WITH held AS (${heldBy(ended, deadlineMs)}),
    chosen AS (
      SELECT held.order_id, held.item, held.unit, held.attempt AS ended_attempt, held.attempt + 1 AS attempt,
             held.ended_as, held.failure_code, held.failure_message, held.order_number, next.*,
             s.code AS supplier, s.adapter = ANY(${namedAtRandom}) AS named_at_random
      FROM held
      CROSS JOIN LATERAL (
        SELECT held.supplier_id, held.supplier_sku, held.player_template, held.expected_cost_micros, held.max_cost_micros,
               held.cost_currency, held.baht_per_unit, held.retry_after_ms AS due_in_ms
        WHERE held.retry_after_ms IS NOT NULL
          AND (SELECT count(*) FROM unit_attempts tried
               WHERE tried.order_id = held.order_id AND tried.item = held.item AND tried.unit = held.unit
                 AND tried.supplier_id = held.supplier_id AND tried.supplier_sku = held.supplier_sku) <= ${maxRetries}
        LIMIT 1) next
      JOIN suppliers s ON s.id = next.supplier_id),
    ended AS (
      UPDATE unit_attempts a SET ended_as = chosen.ended_as, failure_code = chosen.failure_code,
             failure_message = chosen.failure_message, ended_at = date_trunc('milliseconds', statement_timestamp())
      FROM chosen
      WHERE a.order_id = chosen.order_id AND a.item = chosen.item AND a.unit = chosen.unit
        AND a.number = chosen.ended_attempt),
    begun AS (
      INSERT INTO unit_attempts (${BEGIN_ATTEMPT_COLUMNS}, player_template, expected_cost_micros, max_cost_micros,
                                 cost_currency, baht_per_unit, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, supplier_sku, ${attemptReference('chosen', 'chosen')},
             player_template, expected_cost_micros, max_cost_micros, cost_currency, baht_per_unit,
             date_trunc('milliseconds', statement_timestamp())
      FROM chosen)
    UPDATE order_units u SET
      supplier_id = chosen.supplier_id, attempt = chosen.attempt, state = 'queued', next_action = 'send',
      next_action_at = statement_timestamp() + make_interval(secs => chosen.due_in_ms / 1000.0),
      claim = u.claim + 1, attempt_claim = u.claim + 1, claimed_by = NULL, inquiries = 0,
      first_sent_at = NULL, last_sent_at = NULL, unknown_since = NULL, sent_to = NULL, supplier_reference = NULL,
      updated_at = statement_timestamp()
    FROM chosen
    WHERE u.order_id = chosen.order_id AND u.item = chosen.item AND u.unit = chosen.unit
    RETURNING u.order_id, u.item, u.unit, u.attempt, u.supplier_id, chosen.supplier, chosen.due_in_ms`,
);

/** How the attempts of a unit failed that another one followed. */
export const FIND_FAILURES = statement(
  'unit_attempts.find_failures',
  { orderId: 'bigint', item: 'smallint', unit: 'smallint' },
  ({ orderId, item, unit }) => `
    SELECT failure_code AS code, failure_message AS message FROM unit_attempts
    WHERE order_id = ${orderId} AND item = ${item} AND unit = ${unit} AND failure_code IS NOT NULL
    ORDER BY number`,
);
