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

/** A lane need not wait for the claim of others; more claims at once would only be smaller ones. */
const MAX_CLAIMS = 3;

/**
 * Pulls due work from PostgreSQL into lanes (one per supplier, one per webhook), each with bounded room, so that a slow
 * one fills its own lane and no other.
 *
 *     wake(lanes) ──> wanted ──> claim: one query for all lanes with room ──> run ──> room again ──> wanted, if more is due
 *
 * Wake-ups of one turn of the event loop share a claim, and so do those that arrive while it can't begin: a lane is
 * claimed for by one query at a time. A lane that had more due than room asks again by itself as soon as a task of it
 * ends, so there is no polling while there is work, nor while there is none.
 */
export class WorkLanes<Task> {
  private readonly running = new Map<number, number>();
  private readonly wanted = new Set<number>();
  /** Lanes that may have more due work than they had room for. */
  private readonly backlogged = new Set<number>();
  private readonly tasks = new Set<Promise<void>>();
  /** Tasks that run, and room that claims in flight have asked for. */
  private total = 0;
  private readonly claims = new Set<Promise<void>>();
  private readonly claiming = new Set<number>();
  private scheduled = false;
  private stopped = false;

  constructor(private readonly options: Options<Task>) {}

  /** These lanes may have due work. Returns at once. */
  wake(lanes: Iterable<number>): void {
    for (const lane of lanes) this.wanted.add(lane);
    if (this.scheduled || this.wanted.size === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.claimWanted();
    });
  }

  /** Claims nothing more, and resolves when all that runs has ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.claims);
    await Promise.all(this.tasks);
  }

  private claimWanted(): void {
    if (this.stopped || this.claims.size >= MAX_CLAIMS) return;
    const total = this.options.totalLimit - this.total;
    const room = this.takeWanted(total);
    if (room.size === 0) return;
    const claim: Promise<void> = this.claim(room, total).finally(() => {
      this.claims.delete(claim);
      for (const lane of room.keys()) this.claiming.delete(lane);
      this.wake([]);
    });
    this.claims.add(claim);
  }

  private async claim(room: Map<number, number>, total: number): Promise<void> {
    const asked = Math.min(total, [...room.values()].reduce((sum, each) => sum + each, 0)); // prettier-ignore
    let tasks: Task[];
    this.total += asked;
    try {
      tasks = await this.options.claim(room, asked);
    } catch (error) {
      // The work is still due: the sweeper wakes the lanes again.
      const about = { lanes: this.options.name, reason: (error as Error).message };
      return this.options.logger.warn(about, 'work was not claimed');
    } finally {
      this.free(asked);
    }
    const claimed = new Map<number, number>();
    for (const task of tasks) {
      const lane = this.options.laneOf(task);
      claimed.set(lane, (claimed.get(lane) ?? 0) + 1);
      this.start(lane, task);
    }
    for (const [lane, free] of room) {
      if (tasks.length >= asked || (claimed.get(lane) ?? 0) >= free) this.wantMore(lane);
    }
  }

  /** The room of the wanted lanes; one without room asks again when a task of it ends. */
  private takeWanted(total: number): Map<number, number> {
    const room = new Map<number, number>();
    for (const lane of this.wanted) {
      if (this.claiming.has(lane)) continue;
      this.wanted.delete(lane);
      const free = Math.min(this.freeIn(lane), total);
      if (free > 0) room.set(lane, free);
      else this.backlogged.add(lane);
    }
    for (const lane of room.keys()) this.claiming.add(lane);
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
    this.free(1);
    if (this.backlogged.delete(lane)) this.wake([lane]);
  }

  /** When the process as a whole was full, any backlogged lane may have been waiting for these places. */
  private free(places: number): void {
    const wasFull = this.total >= this.options.totalLimit;
    this.total -= places;
    if (!wasFull) return;
    this.wake([...this.backlogged]);
    this.backlogged.clear();
  }
}
