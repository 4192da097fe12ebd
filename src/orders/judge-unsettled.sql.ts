import { rowsOf, statement } from '../database/parameters.js';
import { OR_SOONER } from './attempt-checks.sql.js';
import { CERTAINLY_NOT_BOUGHT, isOf, UNIT } from './unit-conditions.sql.js';

/** A supplier may report a late or second sale without its code, such as in a list. Then an inquiry must fetch the code. */
const INQUIRE_FOR_CODE = `
      INSERT INTO attempt_checks (order_id, item, unit, attempt, due_at)
      SELECT DISTINCT r.order_id, r.item, r.unit, r.attempt, statement_timestamp() + interval '1 minute'
      FROM recorded r JOIN weighed w USING (order_id, item, unit, attempt, opens)
      JOIN order_items i ON i.order_id = r.order_id AND i.position = r.item
      JOIN unit_attempts a ON ${isOf('r', 'a')} AND a.number = r.attempt
      WHERE r.opens <> 'taken_back' AND w.delivered_sealed IS NULL AND i.kind = 'code'
      ${OR_SOONER}`;

/**
 * For each answer, the latest discrepancy about the same attempt. Its latest report is `r.says`, or follows from its
 * kind if `r.says` is null. A discrepancy that names another purchase counts only if no discrepancy fits the answer's
 * reference, and never if references tell the purchases apart.
 */
const EARLIER = `
      SELECT DISTINCT ON (judged.answer) judged.answer, r.id, r.status,
             r.delivered_sealed IS NULL AS lacks_delivery,
             r.kind = 'bought_late' AND r.supplier_reference IS NULL AS lacks_reference,
             count(*) OVER (PARTITION BY judged.answer) AS discrepancies,
             judged.is_news AND judged.reported IN ('succeeded', 'failed') AND judged.reported
               <> coalesce(r.says, CASE r.kind WHEN 'taken_back' THEN 'failed' ELSE 'succeeded' END) AS is_different
      FROM judged JOIN supplier_reversals r
        ON ${isOf('judged', 'r')} AND r.attempt = judged.attempt
      WHERE r.kind <> 'unknown_purchase'
        AND (judged.is_told_apart AND r.supplier_reference <> judged.supplier_reference) IS NOT TRUE
      ORDER BY judged.answer, coalesce(r.supplier_reference <> judged.supplier_reference, false), r.id DESC`;

/**
 * The answers about purchases that no discrepancy names. `nth` numbers these purchases of an attempt. If references tell purchases
 * apart, a discrepancy without a reference counts for the first of them, and for no other. `listed` is the number of the attempt's
 * purchases in the answers without `is_news`.
 */
const UNNAMED = `
      SELECT * FROM (
        SELECT j.answer, dense_rank() OVER (
                 PARTITION BY j.order_id, j.item, j.unit, j.attempt, j.kind ORDER BY j.supplier_reference)
               - CASE WHEN j.is_told_apart AND EXISTS (
                   SELECT FROM supplier_reversals r WHERE ${isOf('j', 'r')}
                     AND r.attempt = j.attempt AND r.kind = j.kind AND r.supplier_reference IS NULL) THEN 1 ELSE 0 END AS nth, (
               SELECT count(DISTINCT o.supplier_reference) FROM judged o WHERE o.order_id = j.order_id AND o.item = j.item
                 AND o.unit = j.unit AND o.attempt = j.attempt AND o.kind = j.kind AND NOT o.is_news) AS listed
        FROM judged j
        WHERE (j.kind = 'unknown_purchase' OR j.kind = 'bought_late' AND (NOT j.is_news OR j.is_told_apart)) AND NOT EXISTS (
          SELECT FROM supplier_reversals r WHERE ${isOf('j', 'r')}
            AND r.attempt = j.attempt AND r.kind = j.kind AND r.supplier_reference IS NOT DISTINCT FROM j.supplier_reference)) numbered
      WHERE nth > 0`;

/** In SQL: the id of the discrepancy that gets the code or the reference of an answer's purchase. */
const COMPLETED = `
             CASE WHEN unnamed.nth > 0 THEN NULL
                  WHEN judged.kind = 'unknown_purchase' AND judged.delivered_sealed IS NOT NULL THEN (
                    SELECT min(r.id) FROM supplier_reversals r
                    WHERE ${isOf('judged', 'r')} AND r.attempt = judged.attempt AND r.kind = judged.kind
                      AND r.supplier_reference = judged.supplier_reference AND r.delivered_sealed IS NULL)
                  WHEN judged.kind = 'bought_late'
                    AND (earlier.lacks_delivery AND judged.delivered_sealed IS NOT NULL
                         OR earlier.lacks_reference AND judged.is_told_apart) THEN earlier.id END`;

/**
 * Judges answers that settled nothing, and returns the states of their units. The `state` of an answer is `succeeded`, `failed`
 * or `besides`: a second purchase under the same reference.
 * - An answer that contradicts its settled unit opens a discrepancy: the supplier took the purchase back
 *   (`taken_back`), sold the unit after a failure (`bought_late`), or sold it twice (`unknown_purchase`). The
 *   supplier's reference in a success shows whether the unit was sold twice. It is compared with the unit's reference.
 *   If an operator settled the unit with our reference, it is compared with the proven reference of the attempt, if
 *   there is one. The answer to an inquiry that named the unit's purchase may have a different reference: that is no
 *   contradiction.
 * - A success of an attempt that is not the latest one also opens a discrepancy (`bought_late`). If the latest attempt
 *   has certainly bought nothing, the unit goes to review, where an operator decides whether to buy again. While such a
 *   discrepancy is open, `BEGIN_NEXT_ATTEMPTS` sends new attempts of the unit to review, and `CLAIM_UNITS` claims the
 *   unit for no call that may buy it.
 * - A second purchase opens a discrepancy in any state of the unit.
 * - A repeated answer opens no second discrepancy. An answer that differs from the latest discrepancy is written to it while it is
 *   open. If an operator has closed it, the answer opens another one.
 * - Without `is_news`, an answer is repeated, or may be older than the discrepancy. So it never counts as different.
 * - Each purchase under one reference has a discrepancy of its own. The answers from one list or statement prove as
 *   many late sales as they have different references. In a single answer, a new reference proves no further sale,
 *   because some suppliers change their references later. But with `is_about_one_send`, the supplier may sell each
 *   send: then its references tell the purchases apart.
 * - A later answer may have the code that the discrepancy about a late or second sale lacks. Then the discrepancy stores it. It also
 *   stores the reference of a late sale that was reported without one, because a further sale has another reference.
 *
 * For each answer, `opens` is the kind of the discrepancy to open, `notes` is the id of the discrepancy to change, and `completes`
 * is the id of the discrepancy that gets its code or reference.
 */
export const JUDGE_UNSETTLED = statement(
  'settlement.judge_unsettled',
  {
    answers: rowsOf({
      ...UNIT,
      attempt: 'smallint',
      state: 'text',
      supplier_reference: 'text?',
      detail: 'text?',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      is_news: 'boolean',
      is_about_one_send: 'boolean',
      queried_as: 'text?',
      delivered_sealed: 'bytea?',
    }),
  },
  ({ answers }) => `
    WITH judged AS (
      SELECT c.answer, u.order_id, u.item, u.unit, c.attempt, coalesce(a.supplier_id, u.supplier_id) AS supplier_id, u.state,
             c.supplier_reference, c.detail, c.state AS reported, c.is_news, c.delivered_sealed,
             c.is_about_one_send AND c.supplier_reference IS NOT NULL AS is_told_apart,
             CASE WHEN c.cost_micros IS NULL THEN a.cost_micros ELSE c.cost_micros END AS cost_micros,
             CASE WHEN c.cost_micros IS NOT NULL THEN c.cost_currency
                  WHEN a.cost_micros IS NOT NULL THEN a.cost_currency END AS cost_currency,
             CASE WHEN c.state = 'besides'
                  THEN CASE WHEN c.supplier_reference IS DISTINCT FROM u.supplier_reference THEN 'unknown_purchase' END
                  WHEN c.attempt < u.attempt THEN CASE c.state WHEN 'succeeded' THEN 'bought_late' END
                  WHEN u.state = 'succeeded' AND c.state = 'failed' THEN 'taken_back'
                  WHEN u.state = 'failed' AND c.state = 'succeeded' THEN 'bought_late'
                  WHEN u.state = 'succeeded' AND c.supplier_reference
                       <> CASE WHEN u.supplier_reference IS DISTINCT FROM a.reference THEN u.supplier_reference
                               WHEN NOT a.is_hearsay THEN a.supplier_reference END
                       AND (c.queried_as IS NULL OR u.supplier_reference NOT IN (c.queried_as, a.reference)) THEN 'unknown_purchase'
                  END AS kind
      FROM ${answers.numbered('c', 'answer')}
      JOIN order_units u ON ${isOf('c', 'u')}
      LEFT JOIN unit_attempts a ON ${isOf('c', 'a')}
        AND a.number = c.attempt),
    earlier AS (${EARLIER}),
    unnamed AS (${UNNAMED}),
    weighed AS (
      SELECT judged.*, coalesce(unnamed.nth, 1) AS nth,
             CASE WHEN judged.kind = 'unknown_purchase' THEN CASE WHEN unnamed.nth > 0 THEN judged.kind END
                  WHEN unnamed.nth > 0
                  THEN CASE WHEN judged.is_told_apart OR coalesce(earlier.discrepancies, 0) + unnamed.nth <= greatest(unnamed.listed, 1)
                            THEN judged.kind END
                  WHEN earlier.id IS NULL THEN judged.kind
                  WHEN NOT earlier.is_different OR earlier.status = 'open' THEN NULL
                  WHEN judged.reported = 'succeeded' THEN 'bought_late' ELSE 'taken_back' END AS opens,
             CASE WHEN earlier.is_different AND earlier.status = 'open' AND (judged.is_told_apart AND unnamed.nth > 0) IS NOT TRUE
                  THEN earlier.id END AS notes,
             ${COMPLETED} AS completes
      FROM judged LEFT JOIN earlier USING (answer) LEFT JOIN unnamed USING (answer)),
    noted AS (
      UPDATE supplier_reversals r
      SET says = CASE r.id WHEN w.notes THEN w.reported ELSE r.says END,
          detail = CASE r.id WHEN w.notes THEN concat_ws(': ', 'the supplier now reports ' || w.reported, w.detail) ELSE r.detail END,
          delivered_sealed = coalesce(r.delivered_sealed, w.delivered_sealed),
          supplier_reference = coalesce(r.supplier_reference, CASE r.id WHEN w.completes THEN w.supplier_reference END)
      FROM weighed w WHERE r.id = coalesce(w.notes, w.completes) AND (w.notes IS NULL OR r.status = 'open')
      RETURNING r.id),
    recorded AS (
      INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, supplier_reference, detail,
                                      cost_micros, cost_currency, delivered_sealed, turn, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, opens, supplier_reference, detail, cost_micros, cost_currency,
             delivered_sealed, nth + coalesce((
               SELECT max(r.turn) FROM supplier_reversals r WHERE r.order_id = w.order_id AND r.item = w.item
                 AND r.unit = w.unit AND r.attempt = w.attempt AND r.kind = w.opens), 0),
             date_trunc('milliseconds', statement_timestamp())
      FROM weighed w WHERE opens IS NOT NULL
      ON CONFLICT ON CONSTRAINT uq_supplier_reversals_unit_kind DO NOTHING
      RETURNING order_id, item, unit, attempt, kind AS opens, supplier_reference),
    code_inquiries AS (${INQUIRE_FOR_CODE}),
    sent_to_review AS (
      UPDATE order_units u SET state = 'review', next_action = 'inquire', next_action_at = NULL,
             unknown_since = statement_timestamp(), updated_at = statement_timestamp()
      FROM weighed w
      WHERE w.reported = 'succeeded' AND (w.opens = 'bought_late' OR w.notes IS NOT NULL)
        AND ${isOf('w', 'u')}
        AND u.attempt > w.attempt AND ${CERTAINLY_NOT_BOUGHT})
    SELECT w.answer, w.state, r.opens IS NOT NULL OR noted.id IS NOT NULL AS changes_discrepancy
    FROM weighed w LEFT JOIN recorded r
      ON (r.order_id, r.item, r.unit, r.attempt, r.opens) = (w.order_id, w.item, w.unit, w.attempt, w.opens)
      AND r.supplier_reference IS NOT DISTINCT FROM w.supplier_reference
    LEFT JOIN noted ON noted.id = w.notes`,
);
