import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { Database, type Statement } from '../database/database.js';
import type { WorkerProcess } from './worker-process.entity.js';

/** What a heartbeat tells. */
interface Told {
  clock_was_set_back: boolean;
  /** What the database's clock shows, in milliseconds. */
  now_ms: number;
  living: number;
}

/**
 * Says that a worker lives, how many do, and whether any was seen at a time that is still to come: then the clock of the
 * database was set back. A second is left for beats that cross. $1 name, $2 milliseconds.
 */
const BEAT: Statement = {
  name: 'worker_processes.beat',
  text: `WITH beat AS (
           INSERT INTO worker_processes (name, seen_at) VALUES ($1, statement_timestamp())
           ON CONFLICT (name) DO UPDATE SET seen_at = statement_timestamp())
         SELECT EXISTS (SELECT 1 FROM worker_processes WHERE seen_at > statement_timestamp() + interval '1 second')
           AS clock_was_set_back,
           (extract(epoch FROM statement_timestamp()) * 1000)::float8 AS now_ms,
           (SELECT count(*)::int FROM worker_processes
            WHERE name <> $1 AND seen_at >= statement_timestamp() - make_interval(secs => $2 / 1000.0)) + 1 AS living`,
};

/** Pulls future heartbeats back to now, so that a dead worker is found as soon as usual. */
const PULL_BACK: Statement = {
  name: 'worker_processes.pull_back',
  text: `UPDATE worker_processes SET seen_at = statement_timestamp()
         WHERE name IN (SELECT name FROM worker_processes WHERE seen_at > statement_timestamp() FOR UPDATE SKIP LOCKED)`,
};

/** $1 milliseconds. */
const FIND_DEAD: Statement = {
  name: 'worker_processes.find_dead',
  text: `SELECT name FROM worker_processes
         WHERE seen_at < statement_timestamp() - make_interval(secs => $1 / 1000.0)`,
};

/** Not one that has come back meanwhile. $1 names, $2 milliseconds. */
const FORGET: Statement = {
  name: 'worker_processes.forget',
  text: `DELETE FROM worker_processes WHERE name = ANY($1::text[])
         AND seen_at < statement_timestamp() - make_interval(secs => $2 / 1000.0)`,
};

const DEREGISTER: Statement = {
  name: 'worker_processes.leave',
  text: `DELETE FROM worker_processes WHERE name = $1`,
};

@Injectable()
export class WorkerProcessesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Says that a worker lives.
   * @returns the clock of the database, whether it was set back, and how many workers were seen within so long, this one
   * included.
   */
  async beat(name: string, withinMs: number): Promise<Told> {
    const [beat] = await this.database.query<Told>(BEAT, [name, withinMs]);
    return present(beat, 'a heartbeat has a row');
  }

  async pullBack(): Promise<void> {
    await this.database.query(PULL_BACK);
  }

  /** The names of those that have not been seen for so long. */
  async listUnseen(forMs: number): Promise<string[]> {
    const dead = await this.database.query<Pick<WorkerProcess, 'name'>>(FIND_DEAD, [forMs]);
    return dead.map(({ name }) => name);
  }

  async deleteUnseen(names: string[], forMs: number): Promise<void> {
    await this.database.query(FORGET, [names, forMs]);
  }

  async delete(name: string): Promise<void> {
    await this.database.query(DEREGISTER, [name]);
  }
}
