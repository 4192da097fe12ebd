import { Injectable } from '@nestjs/common';
import { processName } from '../core/process.js';
import { Database, type Statement } from '../database/database.js';

/** A worker that has not been seen for this long is taken for dead. */
const DEAD_AFTER_MS = 8_000;

/**
 * Says that a worker lives, and whether any was seen at a time that is still to come: then the clock of the database was
 * set back. A second is left for beats that cross.
 */
const BEAT: Statement = {
  name: 'worker_processes.beat',
  text: `WITH beat AS (
           INSERT INTO worker_processes (name, seen_at) VALUES ($1, statement_timestamp())
           ON CONFLICT (name) DO UPDATE SET seen_at = statement_timestamp())
         SELECT EXISTS (SELECT 1 FROM worker_processes WHERE seen_at > statement_timestamp() + interval '1 second')
           AS clock_was_set_back`,
};

/** Who was seen at a time that is still to come was seen now, so that a dead one is found dead as soon as usual. */
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

/** What a worker learns with its heartbeat. */
export interface Beat {
  /** Workers whose heartbeat has stopped. */
  dead: string[];
  /** Whether the database's clock may have been set back since the last time. */
  clockWasSetBack: boolean;
}

/**
 * Tells living workers from dead ones, so that a dead one's claims are taken over before their leases end. A mistake
 * costs little: a worker that was only slow finds its claim gone, as after the end of a lease.
 */
@Injectable()
export class WorkerHeartbeat {
  readonly name = processName('worker');
  private beatingSinceMs: number | undefined;
  private lastBeatMs = 0;

  constructor(private readonly database: Database) {}

  /**
   * Says that this process lives, and names the workers that no longer do. To be called every two seconds or so.
   * While PostgreSQL is away nobody can be seen: a process that could not say it lives itself judges nobody until it
   * could again for long enough.
   */
  async beat(): Promise<Beat> {
    const since = this.beatingSinceMs;
    this.beatingSinceMs = undefined;
    const [beat] = await this.database.query<{ clock_was_set_back: boolean }>(BEAT, [this.name]);
    if (beat?.clock_was_set_back) await this.database.query(PULL_BACK);
    const now = performance.now();
    this.beatingSinceMs = now - this.lastBeatMs < DEAD_AFTER_MS ? (since ?? now) : now;
    this.lastBeatMs = now;
    const clockWasSetBack = beat?.clock_was_set_back ?? false;
    if (now - this.beatingSinceMs < DEAD_AFTER_MS) return { dead: [], clockWasSetBack };
    const dead = await this.database.query<{ name: string }>(FIND_DEAD, [DEAD_AFTER_MS]);
    return { dead: dead.map(({ name }) => name), clockWasSetBack };
  }

  /** Once a dead worker's claims have been released, there is nothing left to know about it. */
  async forget(names: string[]): Promise<void> {
    await this.database.query(FORGET, [names, DEAD_AFTER_MS]);
  }

  /** An orderly end, with nothing claimed any more. */
  async deregister(): Promise<void> {
    await this.database.query(DEREGISTER, [this.name]);
  }
}
