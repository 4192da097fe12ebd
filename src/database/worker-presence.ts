import { Injectable } from '@nestjs/common';
import { processName } from '../core/process.js';
import { Database, type Statement } from './database.js';

/** A worker that has not been seen for this long is taken for dead. */
const DEAD_AFTER_MS = 8_000;

const BEAT: Statement = {
  name: 'worker_processes.beat',
  text: `INSERT INTO worker_processes (name, seen_at) VALUES ($1, statement_timestamp())
         ON CONFLICT (name) DO UPDATE SET seen_at = statement_timestamp()`,
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

const LEAVE: Statement = {
  name: 'worker_processes.leave',
  text: `DELETE FROM worker_processes WHERE name = $1`,
};

/**
 * Tells living workers from dead ones, so that a dead one's claims are taken over before their leases end. A mistake
 * costs little: a worker that was only slow finds its claim gone, as after the end of a lease.
 */
@Injectable()
export class WorkerPresence {
  readonly name = processName('worker');
  private beatingSinceMs: number | undefined;
  private lastBeatMs = 0;

  constructor(private readonly database: Database) {}

  /**
   * Says that this process lives, and names the workers that no longer do. To be called every two seconds or so.
   * While PostgreSQL is away nobody can be seen: a process that could not say it lives itself judges nobody until it
   * could again for long enough.
   */
  async beat(): Promise<string[]> {
    const since = this.beatingSinceMs;
    this.beatingSinceMs = undefined;
    await this.database.query(BEAT, [this.name]);
    const now = performance.now();
    this.beatingSinceMs = now - this.lastBeatMs < DEAD_AFTER_MS ? (since ?? now) : now;
    this.lastBeatMs = now;
    if (now - this.beatingSinceMs < DEAD_AFTER_MS) return [];
    const dead = await this.database.query<{ name: string }>(FIND_DEAD, [DEAD_AFTER_MS]);
    return dead.map(({ name }) => name);
  }

  /** Once a dead worker's claims have been released, there is nothing left to know about it. */
  async forget(names: string[]): Promise<void> {
    await this.database.query(FORGET, [names, DEAD_AFTER_MS]);
  }

  /** An orderly end, with nothing claimed any more. */
  async leave(): Promise<void> {
    await this.database.query(LEAVE, [this.name]);
  }
}
