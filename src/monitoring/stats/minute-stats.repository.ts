import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database } from '../../database/database.js';
import type { Counted, StatKind } from './counted.js';
import { rowsOf, statement } from '../../database/parameters.js';
import { removalOfOld } from '../../database/remove-in-batches.js';

const ROWS = rowsOf({ figure: 'text', subject: 'text', label: 'text', up_to_ms: 'int', value: 'bigint' });
const KEY = 'figure, subject, minute, label, up_to_ms';

const upsertRows = (name: string, value: string) =>
  // Writes the rows in the order of the key. So processes that write the same rows can't deadlock.
  statement(
    `minute_figures.${name}`,
    { rows: ROWS },
    ({ rows }) => `
      INSERT INTO minute_figures AS stored (minute, ${rows.names})
      SELECT date_trunc('minute', statement_timestamp()), ${rows.names} FROM ${rows.as('given')}
      ORDER BY figure, subject, label, up_to_ms
      ON CONFLICT (${KEY}) DO UPDATE SET value = ${value}`,
  );

/** Adds a process's counts to the stored counts of this minute. */
const ADD_COUNTED = upsertRows('add', 'stored.value + excluded.value');

/** Stores levels of this minute. The higher value stays if a level is already stored. */
const KEEP_LEVELS = upsertRows('keep_levels', 'greatest(stored.value, excluded.value)');

const HAS_LEVELS = statement(
  'minute_figures.has_levels',
  {},
  () => `
    SELECT EXISTS (SELECT FROM minute_figures WHERE figure = 'levels' AND subject = ''
                   AND minute = date_trunc('minute', statement_timestamp())) AS has_levels`,
);

export interface StepRow {
  figure: string;
  label: string;
  up_to_ms: number;
  /** The number of the step, from 0. */
  step: number;
  /** The sum of counts, or the highest level. */
  value: string;
}

/** Finds the sum of each count, or the highest value of each level, in each step of a period. Reads the table by its key. */
const READ_STEPS = statement(
  'minute_figures.read_steps',
  { kinds: 'text[]', subject: 'text', since: 'timestamptz', until: 'timestamptz', stepSeconds: 'int' },
  ({ kinds, subject, since, until, stepSeconds }) => `
    SELECT m.figure, m.label, m.up_to_ms, step, CASE m.figure WHEN 'levels' THEN max(m.value) ELSE sum(m.value) END AS value
    FROM unnest(${kinds}) AS wanted(figure)
    JOIN minute_figures m ON m.figure = wanted.figure AND m.subject = ${subject}
      AND m.minute >= ${since} AND m.minute < ${until}
    CROSS JOIN LATERAL (SELECT floor(extract(epoch FROM m.minute - ${since}) / ${stepSeconds})::int AS step) numbered
    GROUP BY m.figure, m.label, m.up_to_ms, step
    ORDER BY step, m.up_to_ms`,
);

export interface RecentRow {
  subject: string;
  figure: string;
  label: string;
  up_to_ms: number;
  value: string;
}

/** Counts of some subjects in the last minutes. */
const READ_RECENT = statement(
  'minute_figures.read_recent',
  { kinds: 'text[]', subjects: 'text[]', minutes: 'int' },
  ({ kinds, subjects, minutes }) => `
    SELECT m.subject, m.figure, m.label, m.up_to_ms, sum(m.value) AS value
    FROM unnest(${kinds}) AS wanted(figure) CROSS JOIN unnest(${subjects}) AS about(subject)
    JOIN minute_figures m ON m.figure = wanted.figure AND m.subject = about.subject
      AND m.minute > statement_timestamp() - make_interval(mins => ${minutes})
    GROUP BY m.subject, m.figure, m.label, m.up_to_ms
    ORDER BY m.up_to_ms`,
);

/** Orders a minute since the beginning of the period. The current minute counts only as far as it has gone. */
const READ_PACE = statement(
  'minute_figures.read_pace',
  { minutes: 'int' },
  ({ minutes }) => `
    WITH period AS (SELECT date_trunc('minute', statement_timestamp()) - make_interval(mins => ${minutes}) AS since)
    SELECT (60 * coalesce(sum(m.value), 0) / extract(epoch FROM statement_timestamp() - since))::float8 AS pace
    FROM period LEFT JOIN minute_figures m
      ON m.figure = 'orders' AND m.subject = '' AND m.label = 'placed' AND m.minute >= since
    GROUP BY since`,
);

const REMOVE_OLD = removalOfOld('minute_figures', KEY, 'minute');

/** A period, divided into steps. */
export interface Steps {
  since: Date;
  /** Exclusive. */
  until: Date;
  stepSeconds: number;
}

/** Stats by the minute. */
@Injectable()
export class MinuteStatsRepository {
  constructor(private readonly database: Database) {}

  /** Adds counts to the current minute. */
  async add(rows: readonly Counted[]): Promise<void> {
    await this.database.query(...ADD_COUNTED.with({ rows }));
  }

  /** Whether a worker has already stored the levels of this minute. */
  async hasLevels(): Promise<boolean> {
    const [found] = await this.database.query<{ has_levels: boolean }>(...HAS_LEVELS.with({}));
    return found?.has_levels ?? false;
  }

  async keepLevels(levels: ReadonlyMap<string, bigint>): Promise<void> {
    const rows = [...levels].map(([label, value]) => ({
      figure: 'levels',
      subject: '',
      up_to_ms: 0,
      label,
      value,
    }));
    await this.database.query(...KEEP_LEVELS.with({ rows }));
  }

  /** @param subject a supplier's code; empty for stats of no supplier. */
  readSteps(kinds: StatKind[], subject: string, { since, until, stepSeconds }: Steps): Promise<StepRow[]> {
    const values = { kinds, subject, since, until, stepSeconds };
    return this.database.query<StepRow>(...READ_STEPS.with(values));
  }

  /** Sums up the counts of the last minutes. @param minutes the number of these minutes, the current minute included. */
  readRecent(kinds: StatKind[], subjects: string[], minutes: number): Promise<RecentRow[]> {
    return this.database.query<RecentRow>(...READ_RECENT.with({ kinds, subjects, minutes }));
  }

  /** The average of orders placed a minute. @param minutes the number of whole minutes; the current minute is added. */
  async readPace(minutes: number): Promise<number> {
    const [read] = await this.database.query<{ pace: number }>(...READ_PACE.with({ minutes }));
    return present(read, 'a pace is read').pace;
  }

  /** Removes up to `limit` rows that are older than `days`. @returns how many. */
  async removeOld(days: number, limit: number): Promise<number> {
    return (await this.database.query(...REMOVE_OLD.with({ days, limit, clockLimit: null }))).length;
  }
}
