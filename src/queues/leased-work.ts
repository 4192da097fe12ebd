import { measureElapsed } from '../core/elapsed.js';
import { Claims } from './claims.js';
import { PartitionSlots, type FreeSlots } from './partition-slots.js';
import type { WorkObserver } from './work-observer.js';

/** One claim: a single query for all partitions that want work and have free slots. */
export interface ClaimRequest {
  partitions: {
    id: number;
    /** How many tasks of the partition the claim may take. */
    slots: number;
  }[];
  /**
   * How many tasks the claim may take in all partitions together: the sum of their slots. A statement with this LIMIT
   * claims the same tasks. Without the LIMIT, PostgreSQL would plan for all due rows, and might read whole tables.
   */
  total: number;
  /** The name under which the claim can be undone. */
  name: string;
}

/** The table with the work. Each row is due now, due later, claimed under a lease, or done. */
export interface WorkTable<Task> {
  /** @returns the partitions that have due work. */
  listDuePartitions(): Promise<{ id: number }[]>;
  /** Undoes a claim under which nothing was done for the task. The task is due at once, unless a later claim has it. */
  undoClaim(task: Task): Promise<unknown>;
  /** Like {@link undoClaim}, for all tasks of the named claims. The oldest of these claims began `agoMs` ago. */
  undoClaims(names: string[], agoMs: number): Promise<unknown>;
  /**
   * Ends the leases of these processes, so that other processes can claim their tasks. Leaves leases that must run out,
   * as at a supplier with a minimum gap between calls.
   */
  takeOverClaims(processes: string[]): Promise<unknown>;
  /**
   * Reschedules up to `limit` rows that were written while the database's clock was ahead. Each row keeps its delay, counted from
   * now.
   * @returns the rescheduled rows.
   */
  pullBack(limit: number): Promise<unknown[]>;
}

/** When a claim began. */
interface ClaimTime {
  claimedAtMs: number;
  elapsedMs: () => number;
}

interface Options<Task> {
  table: WorkTable<Task>;
  /** Claims due tasks, no more than requested, and commits the claim. */
  claim: (request: ClaimRequest) => Promise<Task[]>;
  /**
   * Runs one task until its end is recorded.
   * @param leaseEndMs when the lease of its claim ends, in monotonic milliseconds.
   * @param freeSlot frees the slot for another task before the end is recorded. To be called at most once.
   */
  run: (task: Task, leaseEndMs: number, freeSlot: () => void) => Promise<void>;
  partitionOf: (task: Task) => number;
  /** How many slots a partition has in this process. @param running the number of running tasks in all partitions. */
  slotsOf: (partition: number, running: number) => number;
  /** How many tasks may run at once in all partitions. */
  totalSlots: number;
  /** How long a task may take to do its work. */
  runLimitMs: (task: Task) => number;
  /** How much longer than `runLimitMs` a lease lasts, at least: time to begin the task, and to record its end. */
  leaseMarginMs: number;
  /** The name of this process, for the names of its claims. */
  process: string;
  /** Claims start only once this returns true. */
  isReady: () => boolean;
  observer: WorkObserver<Task>;
}

/**
 * The maximum of claims in flight. With only one, partitions would wait for the claim of other partitions. With more than three,
 * each claim would only be smaller.
 */
const MAX_CLAIMS = 3;
const PULL_BACK_BATCH = 1_000;

/**
 * Runs due work that PostgreSQL leases to this process. Each partition (a supplier or a webhook) has a bounded number of
 * slots, so that a slow supplier or webhook occupies only its own slots.
 *
 *     wake ──> wanted ──> claim: one query for all partitions with free slots ──> run ──> free ──> wanted, if more is due
 *
 * Wake-ups in one turn of the event loop share a claim. A partition has at most one claim in flight: wake-ups that arrive
 * meanwhile share its next claim. A partition with more due work than slots is claimed again as soon as one of its tasks ends, so
 * there is no polling, with or without work. If all slots of the process are occupied, the next free ones go to the partitions that
 * have waited longest. A task may free its slot before its end is recorded.
 */
export class LeasedWork<Task> {
  private readonly slots: PartitionSlots;
  private readonly claims: Claims;
  private readonly claiming = new Set<Promise<void>>();
  private readonly running = new Set<Promise<void>>();
  /** Tasks whose claims expired before the work began, and are not undone yet. */
  private readonly unused = new Set<Task>();
  private isScheduled = false;
  private isDraining = false;

  constructor(private readonly options: Options<Task>) {
    this.slots = new PartitionSlots(options);
    this.claims = new Claims(options.process);
  }

  /** Claims for these partitions, which may have due work. Returns at once; does nothing before the database is ready. */
  wake(partitions: Iterable<number>): void {
    if (!this.options.isReady()) return;
    this.slots.want(partitions);
    this.claimSoon();
  }

  /**
   * Claims for these partitions, but only for those with a free slot in this process.
   * @returns the other partitions: another process may have a free slot for them.
   */
  wakeFree(partitions: Iterable<number>): number[] {
    const free: number[] = [];
    const others: number[] = [];
    const mayClaim = !this.isDraining && this.options.isReady();
    for (const id of partitions) (mayClaim && this.slots.hasFree(id) ? free : others).push(id);
    this.wake(free);
    return others;
  }

  /** Wakes every partition with due work, in case a wake-up was lost. Also undoes claims under which nothing was done. */
  async sweep(): Promise<void> {
    await this.wakeDue();
    // Only now: a row that stays locked lets an undo wait, and fail, but must not keep this worker from other work.
    if (await this.undoUnused()) await this.wakeDue();
  }

  /** Takes over the claims of dead workers. */
  async takeOverClaimsOf(workers: string[]): Promise<void> {
    await this.options.table.takeOverClaims(workers);
  }

  /** Reschedules tasks after the database clock was set back. @returns how many are due earlier now. */
  async pullBack(): Promise<number> {
    let total = 0;
    for (;;) {
      const { length } = await this.options.table.pullBack(PULL_BACK_BATCH);
      total += length;
      if (length < PULL_BACK_BATCH) return total;
    }
  }

  /** How many tasks hold a slot in this process, by partition. */
  runningByPartition(): Map<number, number> {
    return this.slots.runningByPartition();
  }

  /** Stops claiming, and resolves when all running tasks have ended. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.claiming);
    await Promise.all(this.running);
    // Only this process knows that it did nothing for these tasks.
    await this.undoUnused().catch(() => undefined);
  }

  private async wakeDue(): Promise<void> {
    const due = await this.options.table.listDuePartitions();
    this.wake(due.map(({ id }) => id));
  }

  /** Undoes claims under which nothing was done, if they could not be undone at once. @returns whether there were such claims. */
  private async undoUnused(): Promise<boolean> {
    const { table } = this.options;
    const hadLost = await this.claims.undoLost((names, agoMs) => table.undoClaims(names, agoMs));
    const unused = [...this.unused];
    for (const task of unused) {
      await table.undoClaim(task);
      this.unused.delete(task);
    }
    return hadLost || unused.length > 0;
  }

  private claimSoon(): void {
    if (this.isScheduled || !this.slots.isWanted) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      if (this.isDraining || this.claiming.size >= MAX_CLAIMS) return;
      const free = this.slots.take();
      if (free.partitions.size > 0) this.beginClaim(free);
    });
  }

  private beginClaim(free: FreeSlots): void {
    const claim = this.claim(free).finally(() => {
      this.claiming.delete(claim);
      this.claimSoon();
    });
    this.claiming.add(claim);
  }

  private async claim(free: FreeSlots): Promise<void> {
    const { claim, partitionOf, observer } = this.options;
    const claimedAtMs = performance.now();
    const elapsedMs = measureElapsed();
    const partitions = [...free.partitions].map(([id, slots]) => ({ id, slots }));
    const tasks = await this.claims
      .claim((name) => claim({ partitions, total: free.total, name }))
      .catch((error: unknown) => {
        // The work is still due: the next sweep wakes its partitions again.
        observer.claimFailed(error);
        return [];
      });
    this.slots.fill(free, tasks.map(partitionOf));
    for (const task of tasks) this.start(task, { claimedAtMs, elapsedMs });
  }

  private start(task: Task, claimed: ClaimTime): void {
    const partition = this.options.partitionOf(task);
    let hasSlot = true;
    const freeSlot = (): void => {
      hasSlot = false;
      this.slots.free(partition);
      this.claimSoon();
    };
    const running = this.runLeased(task, claimed, freeSlot)
      .catch((error: unknown) => this.options.observer.taskFailed(task, error))
      .finally(() => {
        this.running.delete(running);
        this.slots.end(partition, hasSlot);
        this.claimSoon();
      });
    this.running.add(running);
  }

  private async runLeased(task: Task, { claimedAtMs, elapsedMs }: ClaimTime, freeSlot: () => void): Promise<void> {
    const { leaseMarginMs, runLimitMs, partitionOf, run, table, observer } = this.options;
    if (elapsedMs() <= leaseMarginMs) return run(task, claimedAtMs + runLimitMs(task) + leaseMarginMs, freeSlot);
    // The process or its machine stood still: the lease may end before the task does, or another process may have the task already.
    observer.claimExpired(task);
    this.unused.add(task);
    await table.undoClaim(task);
    this.unused.delete(task);
    this.wake([partitionOf(task)]);
  }
}
