import { AppError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

interface Options<Task> {
  name: string;
  logger: Logger;
  /** How many tasks of one lane may run at once in this process. */
  limitOf: (lane: number) => number;
  /** How many tasks may run at once over all lanes. */
  totalLimit: number;
  /** Takes due work from PostgreSQL: at most `room` per lane, and `total` altogether. */
  claim: (room: Map<number, number>, total: number) => Promise<Task[]>;
  laneOf: (task: Task) => number;
  /** Runs one task to its recorded end. What it throws is logged: the task's lease brings it back. */
  run: (task: Task) => Promise<void>;
}

/**
 * Pulls due work from PostgreSQL into lanes (one per supplier, one per webhook), each with bounded room, so that a slow
 * one fills its own lane and no other.
 *
 *     wake(lanes) ──> wanted ──> claim: one query for all lanes with room ──> run ──> room again ──> wanted, if more is due
 *
 * Wake-ups that arrive during a claim share the next one. A lane that had more due than room asks again by itself as
 * soon as a task of it ends, so there is no polling while there is work, nor while there is none.
 */
export class WorkLanes<Task> {
  private readonly running = new Map<number, number>();
  private readonly wanted = new Set<number>();
  /** Lanes that may have more due work than they had room for. */
  private readonly backlogged = new Set<number>();
  private readonly tasks = new Set<Promise<void>>();
  private total = 0;
  private claiming: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly options: Options<Task>) {}

  /** These lanes may have due work. Returns at once. */
  wake(lanes: Iterable<number>): void {
    for (const lane of lanes) this.wanted.add(lane);
    if (this.stopped || this.claiming || this.wanted.size === 0) return;
    this.claiming = this.claimWanted().finally(() => {
      this.claiming = undefined;
      if (this.wanted.size > 0) this.wake([]);
    });
  }

  /** Claims nothing more, and resolves when all that runs has ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.tasks);
  }

  private async claimWanted(): Promise<void> {
    const total = this.options.totalLimit - this.total;
    const room = this.takeWanted(total);
    if (room.size === 0) return;
    let tasks: Task[];
    try {
      tasks = await this.options.claim(room, total);
    } catch (error) {
      // The work is still due: the reconciler wakes the lanes again.
      this.options.logger.warn(
        { lanes: this.options.name, reason: (error as Error).message },
        'work was not claimed',
      );
      return;
    }
    const claimed = new Map<number, number>();
    for (const task of tasks) {
      const lane = this.options.laneOf(task);
      claimed.set(lane, (claimed.get(lane) ?? 0) + 1);
      this.start(lane, task);
    }
    for (const [lane, asked] of room) {
      if (tasks.length >= total || (claimed.get(lane) ?? 0) >= asked) this.wantMore(lane);
    }
  }

  /** The room of the wanted lanes; one without room asks again when a task of it ends. */
  private takeWanted(total: number): Map<number, number> {
    const room = new Map<number, number>();
    for (const lane of this.wanted) {
      const free = Math.min(this.freeIn(lane), total);
      if (free > 0) room.set(lane, free);
      else this.backlogged.add(lane);
    }
    this.wanted.clear();
    return room;
  }

  private freeIn(lane: number): number {
    return this.options.limitOf(lane) - (this.running.get(lane) ?? 0);
  }

  private wantMore(lane: number): void {
    const hasRoom = this.freeIn(lane) > 0 && this.total < this.options.totalLimit;
    (hasRoom ? this.wanted : this.backlogged).add(lane);
  }

  private start(lane: number, task: Task): void {
    this.running.set(lane, (this.running.get(lane) ?? 0) + 1);
    this.total++;
    const ended: Promise<void> = this.options
      .run(task)
      .catch((error: unknown) => this.report(error))
      .then(() => this.end(lane, ended));
    this.tasks.add(ended);
  }

  /** A database that is away for a moment is no fault of the task: its lease brings it back. */
  private report(error: unknown): void {
    const { name, logger } = this.options;
    if (error instanceof AppError)
      logger.warn({ lanes: name, reason: error.message }, 'a task was not recorded');
    else logger.error({ lanes: name, err: error }, 'a task failed');
  }

  private end(lane: number, task: Promise<void>): void {
    this.tasks.delete(task);
    const left = (this.running.get(lane) ?? 1) - 1;
    if (left > 0) this.running.set(lane, left);
    else this.running.delete(lane);
    // When the process as a whole was full, any backlogged lane may have been waiting for this place.
    const wasFull = this.total-- >= this.options.totalLimit;
    const next = wasFull ? [...this.backlogged] : this.backlogged.has(lane) ? [lane] : [];
    for (const each of next) this.backlogged.delete(each);
    this.wake(next);
  }
}
