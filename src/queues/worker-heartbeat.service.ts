import { Injectable } from '@nestjs/common';
import { processName } from '../core/process.js';
import { WorkerProcessesRepository } from './worker-processes.repository.js';

/** A worker that has not been seen for this long is taken for dead. */
const DEAD_AFTER_MS = 8_000;

/** By how much the database's clock may be ahead of what is expected, before that counts as a step. */
const CLOCK_TOLERANCE_MS = 2_000;

const BEFORE_ALL = new Date(0);

let count = 0;

/** Tells apart the workers of one process: tests have several. */
const another = (): string => (++count === 1 ? '' : `.${count}`);

/** What a worker learns with its heartbeat. */
export interface Beat {
  /** Workers whose heartbeat has stopped. */
  dead: string[];
  /** Whether the database's clock may have been set back since the last time. */
  clockWasSetBack: boolean;
  /** Whether it was set forward. */
  clockWasSetForward: boolean;
}

/**
 * Tells living workers from dead ones, so that a dead one's claims are taken over before their leases end. A mistake
 * costs little: a worker that was only slow finds its claim gone, as after the end of a lease.
 */
@Injectable()
export class WorkerHeartbeatService {
  readonly name = processName('worker') + another();
  private living = 1;
  private beatingSinceMs: number | undefined;
  private lastBeatMs = 0;
  /** The database's clock as it was told last, and when it was asked for, in monotonic milliseconds. */
  private clock: { nowMs: number; askedAtMs: number } | undefined;
  /** When the database's clock was set forward last, as this process or another one noticed. */
  private setForwardAtMs = -Infinity;
  private noticedAtMs: number | undefined;
  /** Whether the clock may have been set forward so lately that no other worker has said so yet. */
  private isUnsure = false;

  constructor(private readonly workers: WorkerProcessesRepository) {}

  /**
   * This worker's part of what all of them may do at once, at least 1. Who begins or ends changes it within seconds; while
   * PostgreSQL is away it stays as it was.
   */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.living));
  }

  /**
   * Says that this process lives, and names the workers that no longer do. To be called every two seconds or so.
   * While PostgreSQL is away no heartbeat is written: a process that could not write its own declares none dead until it
   * could again for long enough.
   */
  async beat(): Promise<Beat> {
    const since = this.beatingSinceMs;
    this.beatingSinceMs = undefined;
    const askedAtMs = performance.now();
    const reported = await this.tell();
    const { clock_was_set_back: clockWasSetBack, now_ms: nowMs, living } = reported;
    const clockWasSetForward = nowMs > this.latestMs();
    this.clock = { nowMs, askedAtMs };
    if (clockWasSetBack) await this.workers.pullBack();
    const now = performance.now();
    this.learnOfStep(clockWasSetForward ? 0 : reported.set_forward_ago_ms, now);
    const isSteady = !clockWasSetForward && now - this.lastBeatMs < DEAD_AFTER_MS;
    this.beatingSinceMs = isSteady ? (since ?? now) : now;
    this.lastBeatMs = now;
    const isNew = now - this.beatingSinceMs < DEAD_AFTER_MS;
    // They are dead, or they lived a moment ago and the clock was set forward since.
    this.isUnsure = isNew && reported.others_are_silent;
    // After an outage of PostgreSQL nobody was seen for long: those who lived before it may still, and say so soon.
    this.living = isNew ? Math.max(this.living, living) : living;
    if (clockWasSetForward) {
      this.noticedAtMs = now;
      await this.tell();
    }
    const clock = { clockWasSetBack, clockWasSetForward };
    if (isNew) return { dead: [], ...clock };
    return { dead: await this.workers.listUnseen(DEAD_AFTER_MS), ...clock };
  }

  /**
   * For what the database's clock says to be over: it may show nothing later than this. Where it does, it was set forward, and
   * calls may be under way whose leases it has ended. From when a worker notices that on, it may show nothing for so long; nor
   * before this process knows the clock.
   */
  clockLimit(forMs: number): Date {
    const isKnown = this.clock !== undefined && !this.isUnsure;
    if (!isKnown || performance.now() - this.setForwardAtMs < forMs) return BEFORE_ALL;
    return new Date(Math.ceil(this.latestMs()));
  }

  private tell(): ReturnType<WorkerProcessesRepository['beat']> {
    const agoMs = this.noticedAtMs === undefined ? null : performance.now() - this.noticedAtMs;
    return this.workers.beat(this.name, DEAD_AFTER_MS, agoMs);
  }

  private learnOfStep(agoMs: number | null, nowMs: number): void {
    if (agoMs === null) return;
    this.setForwardAtMs = Math.max(this.setForwardAtMs, nowMs - Math.max(0, agoMs));
  }

  /** What the clock shows at most if it went on as ours did. */
  private latestMs(): number {
    if (!this.clock) return Infinity;
    const { nowMs, askedAtMs } = this.clock;
    return nowMs + performance.now() - askedAtMs + CLOCK_TOLERANCE_MS;
  }

  /** Once a dead worker's claims have been released, there is nothing left to know about it. */
  async forget(names: string[]): Promise<void> {
    await this.workers.deleteUnseen(names, DEAD_AFTER_MS);
  }

  /** An orderly end, with nothing claimed any more. */
  async deregister(): Promise<void> {
    await this.workers.delete(this.name);
  }
}
