import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import type { Statement } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { ASKED_GAP_MS, MAX_QUESTION } from './supplier-timing.js';

export const FIND_TIMEOUTS: Statement = {
  name: 'suppliers.find_timeouts',
  text: `SELECT code, timeout_ms FROM suppliers WHERE id <> ${SANDBOX_SUPPLIER_ID} ORDER BY code`,
};

/** Those that have an address to call us at. */
export const FIND_CALLING: Statement = {
  name: 'suppliers.find_calling',
  text: `SELECT id, code, adapter, base_url, options, timeout_ms, token_sealed, credentials_sealed, callback_token_sealed
         FROM suppliers WHERE callback_token_sealed IS NOT NULL`,
};

/** Items and attempts stand for units, which have no index by supplier; the other tables are small. */
export const COUNT_USES: Statement = {
  name: 'suppliers.count_uses',
  text: `SELECT (SELECT count(*)::int FROM supplier_offers WHERE supplier_id = $1) AS offers,
                (SELECT count(*)::int FROM supplier_reversals WHERE supplier_id = $1) AS reversals,
                EXISTS (SELECT FROM order_items WHERE supplier_id = $1)
                  OR EXISTS (SELECT FROM unit_attempts WHERE supplier_id = $1)
                  OR EXISTS (SELECT FROM archived_partitions WHERE $1 = ANY(supplier_ids)) AS orders`,
};

/** For the rest of the transaction. */
export const NO_STATEMENT_TIMEOUT: Statement = {
  name: 'suppliers.no_statement_timeout',
  text: `SELECT set_config('statement_timeout', '0', true)`,
};

export const DELETE_SUPPLIER: Statement = {
  name: 'suppliers.delete',
  text: `DELETE FROM suppliers WHERE id = $1`,
};

/** Unless it was read less than the gap ago. */
export const BEGIN_READING = statement(
  'suppliers.begin_reading',
  { id: 'int', gapMs: 'bigint' },
  ({ id, gapMs }) => `
    UPDATE suppliers SET catalogue_read_at = statement_timestamp()
    WHERE id = ${id} AND (catalogue_read_at IS NULL
      OR catalogue_read_at <= statement_timestamp() - ${gapMs} * interval '1 millisecond')
    RETURNING catalogue_read_at`,
);

/** What operators ask suppliers by hand, and until when nobody may ask for it again. */
const ASKED_UNTIL = { test: 'test_asked_until', inquiry: 'inquiry_asked_until' } as const;
export type AskedFor = keyof typeof ASKED_UNTIL;

/**
 * Asked by one process at a time, which says when it has the answer; as long as it takes at most, should that process die.
 * `until` is null where somebody else asks, or did within the gap, and `wait_ms` how much of that is left.
 */
const beginAsking = (what: AskedFor, until = ASKED_UNTIL[what]) =>
  statement(
    `suppliers.begin_${what}`,
    { code: 'text' },
    ({ code }) => `
    WITH taken AS (
      UPDATE suppliers SET ${until} = statement_timestamp() + ${MAX_QUESTION}
      WHERE code = ${code} AND coalesce(${until}, '-infinity') <= statement_timestamp()
      RETURNING ${until}::text AS until)
    SELECT (SELECT until FROM taken), (extract(epoch FROM ${until} - statement_timestamp()) * 1000)::float8 AS wait_ms
    FROM suppliers WHERE code = ${code}`,
  );

/** @param until as it began: another process may be asking by now. */
const endAsking = (what: AskedFor, until = ASKED_UNTIL[what]) =>
  statement(
    `suppliers.end_${what}`,
    { code: 'text', until: 'text' },
    ({ code, until: begun }) => `
    UPDATE suppliers SET ${until} = statement_timestamp() + interval '${ASKED_GAP_MS} milliseconds'
    WHERE code = ${code} AND ${until} = ${begun}::timestamptz`,
  );

export const BEGIN_ASKING = { test: beginAsking('test'), inquiry: beginAsking('inquiry') };
export const END_ASKING = { test: endAsking('test'), inquiry: endAsking('inquiry') };

/** Of those due, the one that was not read for longest. What another process is taking is left to it. */
export const TAKE_DUE_READING = statement(
  'suppliers.take_due_reading',
  { intervalMs: 'bigint', adapters: rowsOf({ adapter: 'text', gap_ms: 'int' }) },
  ({ intervalMs, adapters }) => `
    UPDATE suppliers SET catalogue_read_at = statement_timestamp()
    WHERE id = (
      SELECT s.id FROM suppliers s JOIN ${adapters.as('a')} ON a.adapter = s.adapter
      WHERE s.pause_reason IS NULL
        AND s.updated_at <= statement_timestamp() - a.gap_ms * interval '1 millisecond'
        AND (s.catalogue_read_at IS NULL OR s.catalogue_read_at
          <= statement_timestamp() - greatest(a.gap_ms, ${intervalMs}) * interval '1 millisecond')
        AND EXISTS (SELECT FROM supplier_offers WHERE supplier_id = s.id)
      ORDER BY s.catalogue_read_at NULLS FIRST, s.id
      LIMIT 1 FOR NO KEY UPDATE OF s SKIP LOCKED)
    RETURNING code, catalogue_read_at`,
);

/** What the operator paused stays so; what is paused for its deposit, or banned, may have a better reason. */
export const BEGIN_PAUSE = statement(
  'suppliers.begin_pause',
  { id: 'int', reason: 'text', detail: 'text?', probeInMs: 'int' },
  ({ id, reason, detail, probeInMs }) => `
    UPDATE suppliers SET pause_reason = ${reason}, pause_detail = ${detail},
      paused_at = coalesce(paused_at, statement_timestamp()), paused_balance_micros = NULL, probes = 0,
      probe_at = statement_timestamp() + make_interval(secs => ${probeInMs} / 1000.0)
    WHERE id = ${id} AND (pause_reason IS NULL OR pause_reason IN ('deposit', 'ban') AND ${reason} = 'credentials'
                         OR pause_reason = 'deposit' AND ${reason} = 'ban')
    RETURNING code`,
);
