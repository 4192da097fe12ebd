import { Claims } from './claims.js';
import { PartitionSlots, type FreeSlots } from './partition-slots.js';
import type { WorkObserver } from './work-observer.js';

/** What a claim asks PostgreSQL for: in one query, however many partitions have free slots. */
export interface ClaimRequest {
  partitions: {
    id: number;
    /** How many of its tasks may be taken. */
    slots: number;
  }[];
  /** How many may be taken altogether. */
  total: number;
  /** By which the claim can be undone. */
  name: string;
}

/** The rows in PostgreSQL that are the work: each is due, or claimed under a lease, or neither. */
export interface WorkTable<Task> {
  /** @returns the partitions that have due work. */
  findOverdue(): Promise<{ id: number }[]>;
  /** Makes a task due again at once for which nothing was done, unless another has claimed it since. */
  undoClaim(task: Task): Promise<unknown>;
  /** The same for all tasks of claims, by their names, of which the first began so long ago; there may be none. */
  undoClaims(names: string[], agoMs: number): Promise<unknown>;
  /** Ends the leases of these processes' claims. */
  takeOverClaims(processes: string[]): Promise<unknown>;
  /** Makes some rows due earlier, as long from now as when they were written under a later time; @returns those. */
  pullBack(limit: number): Promise<unknown[]>;
}

interface Options<Task> {
  table: WorkTable<Task>;
  /** Takes due work, as much as is asked for at most, and commits the intent to run it. */
  claim: (request: ClaimRequest) => Promise<Task[]>;
  /** Runs one task to its recorded end. @param leaseEndMs of its claim, in monotonic milliseconds. */
  run: (task: Task, leaseEndMs: number) => Promise<void>;
  partitionOf: (task: Task) => number;
  /** How many tasks of a partition may run at once in this process, given how many run in all partitions. */
  slotsOf: (partition: number, running: number) => number;
  /** How many tasks may run at once in all partitions. */
  totalSlots: number;
  /** How long a task may take to do its work. */
  runLimitMs: (task: Task) => number;
  /** How much longer than that its lease holds: time to begin, and to record how it ended. */
  leaseMarginMs: number;
  /** This process, as its claims name it. */
  process: string;
  /** Before that nothing is claimed. */
  isReady: () => boolean;
  observer: WorkObserver<Task>;
}

/** A partition need not wait for the claim of others; more claims at once would only be smaller ones. */
const MAX_CLAIMS = 3;
const PULL_BACK_BATCH = 1_000;

/**
 * Runs due work that PostgreSQL leases to this process, in partitions (one per supplier, one per webhook) that have a
 * bounded number of slots each, so that a slow one fills its own slots and nobody else's.
 *
 *     wake ──> wanted ──> claim: one query for all partitions with free slots ──> run ──> free ──> wanted, if more is due
 *
 * Wake-ups of one turn of the event loop share a claim, and so do those that arrive while it can't begin: a partition is
 * claimed for by one query at a time. One that had more due work than slots asks again by itself as soon as a task of it
 * ends, so there is no polling while there is work, nor while there is none.
 */
export class LeasedWork<Task> {
  private readonly slots: PartitionSlots;
  private readonly claims: Claims;
  private readonly claiming = new Set<Promise<void>>();
  private readonly running = new Set<Promise<void>>();
  /** Tasks whose claims expired before use, and could not be undone yet. */
  private readonly unused = new Set<Task>();
  private isScheduled = false;
  private isDraining = false;

  constructor(private readonly options: Options<Task>) {
    this.slots = new PartitionSlots(options);
    this.claims = new Claims(options.process);
  }

  /** These partitions may have due work. Returns at once; before the database is there, it has nothing to say. */
  wake(partitions: Iterable<number>): void {
    if (!this.options.isReady()) return;
    this.slots.want(partitions);
    this.claimSoon();
  }

  /** Wakes every partition with due work, whether or not a wake-up came for it. */
  async sweep(): Promise<void> {
    await this.undoUnused();
    const overdue = await this.options.table.findOverdue();
    this.wake(overdue.map(({ id }) => id));
  }

  /** Takes over what workers had claimed that are gone. */
  async takeOverClaimsOf(workers: string[]): Promise<void> {
    await this.options.table.takeOverClaims(workers);
  }

  /** Makes up for a clock of the database that was set back. @returns how many tasks are due earlier now. */
  async pullBack(): Promise<number> {
    let total = 0;
    for (;;) {
      const { length } = await this.options.table.pullBack(PULL_BACK_BATCH);
      total += length;
      if (length < PULL_BACK_BATCH) return total;
    }
  }

  /** How many tasks of each partition run here, of those that have any. */
  runningByPartition(): Map<number, number> {
    return this.slots.runningByPartition();
  }

  /** Claims nothing more, and resolves when all that runs has ended. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.claiming);
    await Promise.all(this.running);
    // Nobody else knows that nothing was done for them.
    await this.undoUnused().catch(() => undefined);
  }

  /** Gives back what was claimed and nothing was done for, where that could not be done at once. */
  private async undoUnused(): Promise<void> {
    const { table } = this.options;
    await this.claims.undoLost((names, agoMs) => table.undoClaims(names, agoMs));
    for (const task of this.unused) {
      await table.undoClaim(task);
      this.unused.delete(task);
    }
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
    const partitions = [...free.partitions].map(([id, slots]) => ({ id, slots }));
    const tasks = await this.claims
      .claim((name) => claim({ partitions, total: free.total, name }))
      .catch((error: unknown) => {
        // The work is still due: the next sweep wakes its partitions again.
        observer.claimFailed(error);
        return [];
      });
    this.slots.fill(free, tasks.map(partitionOf));
    for (const task of tasks) this.start(task, claimedAtMs);
  }

  private start(task: Task, claimedAtMs: number): void {
    const running = this.runLeased(task, claimedAtMs)
      .catch((error: unknown) => this.options.observer.taskFailed(task, error))
      .finally(() => {
        this.running.delete(running);
        this.slots.free(this.options.partitionOf(task));
        this.claimSoon();
      });
    this.running.add(running);
  }

  private async runLeased(task: Task, claimedAtMs: number): Promise<void> {
    const { leaseMarginMs, runLimitMs, partitionOf, run, table, observer } = this.options;
    if (performance.now() - claimedAtMs <= leaseMarginMs)
      return run(task, claimedAtMs + runLimitMs(task) + leaseMarginMs);
    // A process that was stopped for so long may not own the task any more.
    observer.claimExpired(task);
    this.unused.add(task);
    await table.undoClaim(task);
    this.unused.delete(task);
    this.wake([partitionOf(task)]);
  }
}
