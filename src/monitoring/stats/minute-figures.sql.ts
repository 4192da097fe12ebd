import { rowsOf, statement } from '../../database/parameters.js';

const ROWS = rowsOf({ figure: 'text', subject: 'text', label: 'text', up_to_ms: 'int', value: 'bigint' });
const KEY = 'figure, subject, minute, label, up_to_ms';

const written = (name: string, value: string) =>
  // In the order of the key: processes that write the same rows at once wait for each other, and none for ever.
  statement(
    `minute_figures.${name}`,
    { rows: ROWS },
    ({ rows }) => `
      INSERT INTO minute_figures AS kept (minute, ${rows.names})
      SELECT date_trunc('minute', statement_timestamp()), ${rows.names} FROM ${rows.as('given')}
      ORDER BY figure, subject, label, up_to_ms
      ON CONFLICT (${KEY}) DO UPDATE SET value = ${value}`,
  );

/** Adds what a process has counted to what others have of this minute. */
export const ADD_COUNTED = written('add', 'kept.value + excluded.value');

/** Levels of one minute: the highest that was seen. */
export const KEEP_LEVELS = written('keep_levels', 'greatest(kept.value, excluded.value)');

export const HAS_LEVELS = statement(
  'minute_figures.has_levels',
  {},
  () => `
    SELECT EXISTS (SELECT FROM minute_figures WHERE figure = 'levels' AND subject = ''
                   AND minute = date_trunc('minute', statement_timestamp())) AS has_levels`,
);

export interface SlotRow {
  figure: string;
  label: string;
  up_to_ms: number;
  /** Which step of time, counted from 0. */
  slot: number;
  /** The sum of what was counted; of levels the highest. */
  value: string;
}

/** What was counted in each step of a time. `figures` are read by their key, one range of it each. */
export const READ_SLOTS = statement(
  'minute_figures.read_slots',
  { figures: 'text[]', subject: 'text', since: 'timestamptz', until: 'timestamptz', stepSeconds: 'int' },
  ({ figures, subject, since, until, stepSeconds }) => `
    SELECT m.figure, m.label, m.up_to_ms, slot, CASE m.figure WHEN 'levels' THEN max(m.value) ELSE sum(m.value) END AS value
    FROM unnest(${figures}) AS wanted(figure)
    JOIN minute_figures m ON m.figure = wanted.figure AND m.subject = ${subject}
      AND m.minute >= ${since} AND m.minute < ${until}
    CROSS JOIN LATERAL (SELECT floor(extract(epoch FROM m.minute - ${since}) / ${stepSeconds})::int AS slot) step
    GROUP BY m.figure, m.label, m.up_to_ms, slot
    ORDER BY slot, m.up_to_ms`,
);

export interface RecentRow {
  subject: string;
  figure: string;
  label: string;
  up_to_ms: number;
  value: string;
}

/** What was counted of some subjects in the last minutes. */
export const READ_RECENT = statement(
  'minute_figures.read_recent',
  { figures: 'text[]', subjects: 'text[]', minutes: 'int' },
  ({ figures, subjects, minutes }) => `
    SELECT m.subject, m.figure, m.label, m.up_to_ms, sum(m.value) AS value
    FROM unnest(${figures}) AS wanted(figure) CROSS JOIN unnest(${subjects}) AS about(subject)
    JOIN minute_figures m ON m.figure = wanted.figure AND m.subject = about.subject
      AND m.minute > statement_timestamp() - make_interval(mins => ${minutes})
    GROUP BY m.subject, m.figure, m.label, m.up_to_ms
    ORDER BY m.up_to_ms`,
);

export const REMOVE_OLD = statement(
  'minute_figures.remove_old',
  { days: 'int', limit: 'int' },
  ({ days, limit }) => `
    DELETE FROM minute_figures WHERE (${KEY}) IN (
      SELECT ${KEY} FROM minute_figures WHERE minute < statement_timestamp() - make_interval(days => ${days})
      ORDER BY minute LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING minute`,
);
