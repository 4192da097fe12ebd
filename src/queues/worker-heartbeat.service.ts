import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../core/durations.js';
import { processName } from '../core/process.js';
import { WorkerProcessesRepository } from './worker-processes.repository.js';

/** A worker without a heartbeat for this long counts as dead. */
const DEAD_AFTER_MS = 8_000;

/** If the database's clock is ahead of its expected time by more than this, it counts as set forward. */
const CLOCK_TOLERANCE_MS = 2_000;

/**
 * For this long after the clock was set forward, no row counts as old, so that an operator has time to set the clock
 * right. It is less than a day, because a worker on a machine that sleeps every night sees a step of the clock every
 * morning, and must still remove old events.
 */
const NOTHING_OLD_MS = 12 * HOUR_MS;

const BEFORE_ALL = new Date(0);

let count = 0;

/** A suffix for the second and later workers of one process, which only tests have. */
const nextSuffix = (): string => (++count === 1 ? '' : `.${count}`);

/** The findings of a heartbeat. */
interface Beat {
  /** Workers whose heartbeat has stopped. */
  dead: string[];
  /** Whether the database's clock may have been set back since the last heartbeat. */
  clockWasSetBack: boolean;
  /** Whether the database's clock was set forward since the last heartbeat. */
  clockWasSetForward: boolean;
}

/**
 * Writes heartbeats. From all heartbeats it finds dead workers and counts the living ones. It also notices when the database's
 * clock is set back or forward. Other workers take over the claims of a dead worker before the leases end. A wrong finding does
 * little harm: a worker that was only slow loses its claims, as it would at the end of their leases.
 */
@Injectable()
export class WorkerHeartbeatService {
  readonly name = processName('worker') + nextSuffix();
  /** The number of living workers, this one included. */
  private living = 1;
  /** Since when this worker has written heartbeats without a break, in monotonic milliseconds. */
  private beatingSinceMs: number | undefined;
  private lastBeatMs = 0;
  /** The database's clock at the last heartbeat, and when this process sent that heartbeat, in monotonic milliseconds. */
  private clock: { nowMs: number; sentAtMs: number } | undefined;
  /** When any worker last noticed that the database's clock was set forward, in monotonic milliseconds. */
  private setForwardAtMs = -Infinity;
  /** When this worker itself last noticed that the database's clock was set forward, in monotonic milliseconds. */
  private noticedAtMs: number | undefined;
  /** Whether the clock may have been set forward so lately that no other worker has reported it yet. */
  private isUnsure = false;

  constructor(private readonly workers: WorkerProcessesRepository) {}

  /**
   * This worker's share, at least 1, of a limit over all workers. The share changes within seconds after a worker starts or ends,
   * and stays the same while PostgreSQL cannot be reached.
   */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.living));
  }

  /**
   * Writes this worker's heartbeat and finds the workers whose heartbeat has stopped. To be called about every two seconds.
   * While PostgreSQL cannot be reached, no worker can write a heartbeat. So after an outage, a worker reports no dead workers
   * until it has written its own heartbeats again for `DEAD_AFTER_MS`.
   */
  async beat(): Promise<Beat> {
    const since = this.beatingSinceMs;
    this.beatingSinceMs = undefined;
    const sentAtMs = performance.now();
    const reported = await this.write();
    const { clock_was_set_back: clockWasSetBack, now_ms: nowMs, living } = reported;
    const clockWasSetForward = nowMs > this.latestMs();
    this.clock = { nowMs, sentAtMs };
    if (clockWasSetBack) await this.workers.pullBack();
    const now = performance.now();
    this.noteClockStep(clockWasSetForward ? 0 : reported.set_forward_ago_ms, now);
    const isSteady = !clockWasSetForward && now - this.lastBeatMs < DEAD_AFTER_MS;
    this.beatingSinceMs = isSteady ? (since ?? now) : now;
    this.lastBeatMs = now;
    const isTooEarly = now - this.beatingSinceMs < DEAD_AFTER_MS;
    // If the others are silent, either they are dead, or the clock was set forward after their last heartbeats.
    this.isUnsure = isTooEarly && reported.others_are_silent;
    // After an outage of PostgreSQL all heartbeats are old. Workers that lived before the outage may soon write heartbeats again.
    this.living = isTooEarly ? Math.max(this.living, living) : living;
    if (clockWasSetForward) {
      this.noticedAtMs = now;
      await this.write();
    }
    const clock = { clockWasSetBack, clockWasSetForward };
    if (isTooEarly) return { dead: [], ...clock };
    return { dead: await this.workers.listUnseen(DEAD_AFTER_MS), ...clock };
  }

  /**
   * Returns the latest time that the database's clock may show now, for statements that rely on the end of a period. If the clock
   * shows a later time, it was set forward, and leases may have ended while their calls were still in flight. Until this process
   * knows the clock, and for `forMs` after a worker noticed a clock that was set forward, the limit is in 1970: then no statement
   * relies on the clock.
   */
  clockLimit(forMs: number): Date {
    const isKnown = this.clock !== undefined && !this.isUnsure;
    if (!isKnown || performance.now() - this.setForwardAtMs < forMs) return BEFORE_ALL;
    return new Date(Math.ceil(this.latestMs()));
  }

  /** The latest time up to which ages may count, for the removal of old rows, as {@link clockLimit}. */
  retentionLimit(): Date {
    return this.clockLimit(NOTHING_OLD_MS);
  }

  private write(): ReturnType<WorkerProcessesRepository['beat']> {
    const agoMs = this.noticedAtMs === undefined ? null : performance.now() - this.noticedAtMs;
    return this.workers.beat(this.name, DEAD_AFTER_MS, agoMs);
  }

  private noteClockStep(agoMs: number | null, nowMs: number): void {
    if (agoMs === null) return;
    this.setForwardAtMs = Math.max(this.setForwardAtMs, nowMs - Math.max(0, agoMs));
  }

  /** The latest time that the database's clock shows now, if it has run as fast as this process's clock. */
  private latestMs(): number {
    if (!this.clock) return Infinity;
    const { nowMs, sentAtMs } = this.clock;
    return nowMs + performance.now() - sentAtMs + CLOCK_TOLERANCE_MS;
  }

  /** Deletes dead workers whose claims have been taken over. */
  async forget(names: string[]): Promise<void> {
    await this.workers.deleteUnseen(names, DEAD_AFTER_MS);
  }

  /** To be called at an orderly end, when this worker has no claims left. */
  async deregister(): Promise<void> {
    await this.workers.delete(this.name);
  }
}
