interface Partition {
  /** The number of running tasks that hold a slot. */
  running: number;
  /** The number of tasks that have freed their slot, while their end is being recorded. */
  ending: number;
  /** Whether the partition may have more due work than its last claim could take. */
  isBacklogged: boolean;
  /** Whether a claim for the partition is in flight. */
  isClaiming: boolean;
}

interface Limits {
  /** How many tasks of a partition may run at once, given how many run in all partitions. */
  slotsOf: (partition: number, running: number) => number;
  /** How many tasks may run at once in all partitions. */
  totalSlots: number;
}

/** Slots that a claim may fill: a number for each partition, and `total` in all. */
export interface FreeSlots {
  partitions: Map<number, number>;
  total: number;
}

/** Counts the occupied slots of a process, and knows which partitions want a claim. */
export class PartitionSlots {
  private readonly partitions = new Map<number, Partition>();
  /** Partitions that may have due work. The first has waited longest for a claim. */
  private readonly wanted = new Set<number>();
  private running = 0;
  /** The number of all running tasks, plus the slots of claims in flight. */
  private taken = 0;

  constructor(private readonly limits: Limits) {}

  /** Whether any partition may have due work to claim. */
  get isWanted(): boolean {
    return this.wanted.size > 0;
  }

  /** How many tasks hold a slot, by partition. */
  runningByPartition(): Map<number, number> {
    const running = [...this.partitions].map(([id, partition]) => [id, partition.running] as const);
    return new Map(running.filter(([, count]) => count > 0));
  }

  /** Whether a task of this partition could run at once. */
  hasFree(id: number): boolean {
    return this.freeOf(id) > 0 && this.taken < this.limits.totalSlots;
  }

  /** Notes that these partitions may have due work. */
  want(partitions: Iterable<number>): void {
    for (const id of partitions) this.wanted.add(id);
  }

  /**
   * Occupies the free slots of wanted partitions for a claim. A partition without a free slot is wanted again when one
   * of its slots becomes free. If the process has too few free slots for all, the partitions share them. Partitions
   * that get none stay wanted, so that they come first when a slot of any partition becomes free.
   */
  take(): FreeSlots {
    const partitions = new Map<number, number>();
    let total = 0;
    let waiting = this.wanted.size;
    for (const id of this.wanted) {
      const left = this.limits.totalSlots - this.taken;
      if (left <= 0) break;
      const share = Math.ceil(left / waiting--);
      const partition = this.partition(id);
      if (partition.isClaiming) continue;
      this.wanted.delete(id);
      const free = Math.min(this.freeOf(id), share);
      partition.isClaiming = free > 0;
      partition.isBacklogged ||= free <= 0;
      if (free <= 0) continue;
      partitions.set(id, free);
      total += free;
      this.taken += free;
    }
    return { partitions, total };
  }

  /** Ends a claim. @param claimed the partition of each claimed task, which runs from now on. */
  fill({ partitions, total }: FreeSlots, claimed: number[]): void {
    const counts = new Map<number, number>();
    for (const id of claimed) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      this.partition(id).running++;
    }
    this.running += claimed.length;
    this.taken += claimed.length - total;
    for (const [id, slots] of partitions) {
      this.partition(id).isClaiming = false;
      if ((counts.get(id) ?? 0) >= slots) this.wantMore(id);
      this.forgetIdle(id);
    }
  }

  /**
   * Frees the slot of a task whose end is not recorded yet. Ends are recorded in batches, and the partition's next claim waits for
   * the batch, to fill many slots at once. But if no task of the partition holds a slot any more, its next claim begins now.
   */
  free(id: number): void {
    const partition = this.partition(id);
    partition.running--;
    partition.ending++;
    if (partition.running === 0 && partition.isBacklogged) this.wantAgain(id, partition);
  }

  /** Ends a task. @param hasSlot whether the task still has its slot: {@link free} was not called for it. */
  end(id: number, hasSlot: boolean): void {
    const partition = this.partition(id);
    if (hasSlot) partition.running--;
    else partition.ending--;
    this.running--;
    this.taken--;
    if (partition.isBacklogged) this.wantAgain(id, partition);
    this.forgetIdle(id);
  }

  private partition(id: number): Partition {
    const known = this.partitions.get(id);
    if (known) return known;
    const partition = { running: 0, ending: 0, isBacklogged: false, isClaiming: false };
    this.partitions.set(id, partition);
    return partition;
  }

  private forgetIdle(id: number): void {
    const { running, ending, isBacklogged, isClaiming } = this.partition(id);
    if (running + ending === 0 && !isBacklogged && !isClaiming) this.partitions.delete(id);
  }

  private freeOf(id: number): number {
    const slots = this.limits.slotsOf(id, this.running);
    const { running = 0, ending = 0 } = this.partitions.get(id) ?? {};
    // Tasks whose ends are being recorded count only above `slots`, so that slow recording cannot let them pile up without limit.
    return slots - running - Math.max(0, ending - slots);
  }

  private wantMore(id: number): void {
    const partition = this.partition(id);
    // While an end is being recorded, the next claim waits for it, as after `free`.
    if (this.freeOf(id) > 0 && partition.ending === 0) this.wanted.add(id);
    else partition.isBacklogged = true;
  }

  private wantAgain(id: number, partition: Partition): void {
    partition.isBacklogged = false;
    this.wanted.add(id);
  }
}
