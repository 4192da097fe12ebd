import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { Database, type Statement } from '../database/database.js';
import type { WorkerProcess } from './worker-process.entity.js';

/** The result of {@link BEAT}. */
interface BeatResult {
  clock_was_set_back: boolean;
  /** How long ago a worker noticed that the clock was set forward, in milliseconds; null if no worker noticed it. */
  set_forward_ago_ms: number | null;
  /** Whether there are other workers, and all their heartbeats are older than half of `withinMs`. */
  others_are_silent: boolean;
  /** The database's clock, in milliseconds. */
  now_ms: number;
  living: number;
}

/**
 * Writes a heartbeat, and counts the living workers. If the heartbeat of any worker is in the future by more than a second, the
 * database's clock was set back. Each row also stores the last time at which any worker noticed that the clock was set forward,
 * because that worker may be gone. $1 the worker's name, $2 how long a worker lives without a heartbeat, $3 how long ago this
 * worker noticed a clock that was set forward, or null; both in milliseconds.
 */
const BEAT: Statement = {
  name: 'worker_processes.beat',
  text: `WITH beat AS (
           INSERT INTO worker_processes (name, seen_at, clock_set_forward_at)
           SELECT $1, statement_timestamp(),
                  greatest(max(clock_set_forward_at), statement_timestamp() - make_interval(secs => $3::float8 / 1000))
           FROM worker_processes
           ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, clock_set_forward_at = excluded.clock_set_forward_at
           RETURNING clock_set_forward_at)
         SELECT (SELECT (extract(epoch FROM statement_timestamp() - clock_set_forward_at) * 1000)::float8 FROM beat)
           AS set_forward_ago_ms,
           coalesce((SELECT max(seen_at) FROM worker_processes WHERE name <> $1)
                    < statement_timestamp() - make_interval(secs => $2 / 2000.0), false) AS others_are_silent,
           EXISTS (SELECT 1 FROM worker_processes WHERE seen_at > statement_timestamp() + interval '1 second')
           AS clock_was_set_back,
           (extract(epoch FROM statement_timestamp()) * 1000)::float8 AS now_ms,
           (SELECT count(*)::int FROM worker_processes
            WHERE name <> $1 AND seen_at >= statement_timestamp() - make_interval(secs => $2 / 1000.0)) + 1 AS living`,
};

/**
 * Sets times in the future to now. Otherwise, workers would find dead workers too late, and `clockLimit` would stop
 * repeated sends, and inquiries that may buy, for too long.
 */
const PULL_BACK: Statement = {
  name: 'worker_processes.pull_back',
  text: `UPDATE worker_processes SET seen_at = least(seen_at, statement_timestamp()),
                                     clock_set_forward_at = least(clock_set_forward_at, statement_timestamp())
         WHERE name IN (SELECT name FROM worker_processes
                        WHERE seen_at > statement_timestamp() OR clock_set_forward_at > statement_timestamp()
                        FOR UPDATE SKIP LOCKED)`,
};

/** Lists workers whose last heartbeat is older than $1 milliseconds. */
const LIST_DEAD: Statement = {
  name: 'worker_processes.list_dead',
  text: `SELECT name FROM worker_processes
         WHERE seen_at < statement_timestamp() - make_interval(secs => $1 / 1000.0)`,
};

/** Deletes workers ($1 names), except those with a heartbeat in the last $2 milliseconds. */
const FORGET: Statement = {
  name: 'worker_processes.forget',
  text: `DELETE FROM worker_processes WHERE name = ANY($1::text[])
         AND seen_at < statement_timestamp() - make_interval(secs => $2 / 1000.0)`,
};

/** Deletes a worker ($1 name). If its row records a clock set forward within half a day, the row stays, for later workers. */
const DEREGISTER: Statement = {
  name: 'worker_processes.leave',
  text: `DELETE FROM worker_processes
         WHERE name = $1 AND (clock_set_forward_at < statement_timestamp() - interval '12 hours') IS NOT FALSE`,
};

@Injectable()
export class WorkerProcessesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes a worker's heartbeat.
   * @param setForwardAgoMs how long ago this worker noticed that the clock was set forward; null if it never did.
   * @returns the state of the database's clock, and the number of workers that were seen within `withinMs`, this one included.
   */
  async beat(name: string, withinMs: number, setForwardAgoMs: number | null): Promise<BeatResult> {
    const [beat] = await this.database.query<BeatResult>(BEAT, [name, withinMs, setForwardAgoMs]);
    return present(beat, 'a heartbeat has a row');
  }

  async pullBack(): Promise<void> {
    await this.database.query(PULL_BACK);
  }

  /** Lists the names of workers without a heartbeat for `forMs`. */
  async listUnseen(forMs: number): Promise<string[]> {
    const dead = await this.database.query<Pick<WorkerProcess, 'name'>>(LIST_DEAD, [forMs]);
    return dead.map(({ name }) => name);
  }

  async deleteUnseen(names: string[], forMs: number): Promise<void> {
    await this.database.query(FORGET, [names, forMs]);
  }

  async delete(name: string): Promise<void> {
    await this.database.query(DEREGISTER, [name]);
  }
}
