import { statement } from '../database/parameters.js';

export const NOW = 'statement_timestamp()';

/**
 * In SQL: whether a pause that begins now continues the last one. A probe ended the last one a short time ago, but now
 * the supplier refuses a call again, for the same reason.
 */
const continues = (reason: string): string =>
  `(pause_reason IS NULL AND last_pause_reason = ${reason}
    AND last_resumed_at > statement_timestamp() - interval '30 minutes')`;

/** In SQL: since when units wait for a supplier that is paused now. They may have waited through several pauses. */
const pausedSince = (reason: string): string =>
  `coalesce(paused_at, CASE WHEN ${continues(reason)} THEN last_paused_at END, statement_timestamp())`;

/** In SQL: how many probes of the last pause count for a new pause. Their number decides when the next probe is due. */
const probesBefore = (reason: string): string =>
  `CASE WHEN ${reason} <> 'deposit' AND ${continues(reason)} THEN probes ELSE 0 END`;

/**
 * Pauses a supplier, unless its settings were changed after `updatedAt`, or a pause ended after `lastResumedAt`: the
 * refused call began before that. Does not change an operator's pause. A pause for the deposit or a ban may get a more
 * serious reason. If a pause for the credentials or a ban continues another one, its first probe comes later than
 * usual: each resumption may cost another refused purchase.
 */
export const BEGIN_PAUSE = statement(
  'suppliers.begin_pause',
  {
    id: 'int',
    updatedAt: 'timestamptz',
    lastResumedAt: 'timestamptz?',
    reason: 'text',
    detail: 'text?',
    probesMs: 'int[]',
    minWaitMs: 'int',
  },
  ({ id, updatedAt, lastResumedAt, reason, detail, probesMs, minWaitMs }) => `
    UPDATE suppliers SET pause_reason = ${reason}, pause_detail = ${detail},
      paused_at = ${pausedSince(reason)}, paused_balance_micros = NULL, probes = ${probesBefore(reason)},
      probe_at = statement_timestamp() + make_interval(secs => greatest(${minWaitMs},
        (${probesMs})[1 + least(${probesBefore(reason)}, cardinality(${probesMs}) - 1)]) / 1000.0)
    WHERE id = ${id} AND updated_at = ${updatedAt} AND last_resumed_at IS NOT DISTINCT FROM ${lastResumedAt}
      AND (pause_reason IS NULL OR pause_reason IN ('deposit', 'ban') AND ${reason} = 'credentials'
           OR pause_reason = 'deposit' AND ${reason} = 'ban')
    RETURNING code`,
);

/** The column is a smallint, and a pause for the deposit has a probe each minute. No wait depends on so high a number. */
export const NEXT_PROBES = 'least(probes, 32766) + 1';

/** Leaves `updated_at` unchanged, because that column is only about settings. */
export const SAME_SETTINGS = { updated_at: (): string => 'updated_at' };

export const NOT_PAUSED = {
  pause_reason: null,
  pause_detail: null,
  paused_at: null,
  paused_balance_micros: null,
  probes: 0,
  probe_at: null,
};

/** A pause that a probe ends. Its probes count on if another pause continues it. */
export const ENDED_BY_PROBE = {
  ...NOT_PAUSED,
  probes: (): string => 'probes',
  last_pause_reason: (): string => 'pause_reason',
  last_paused_at: (): string => 'paused_at',
  last_resumed_at: (): string => NOW,
  ...SAME_SETTINGS,
};
