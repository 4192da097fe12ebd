interface Sample {
  /** How many bytes of WAL the primary had written in its lifetime. */
  written: bigint;
  /** When this process read `written`, in monotonic milliseconds. */
  atMs: number;
}

/** So many samples collect only if the replica is about ten minutes behind. Then newer ones are dropped, and the lag is overestimated. */
const MAX_SAMPLES = 600;

/**
 * Measures for how long a replica has lacked data that the primary had. It uses only this process's clock, because the servers'
 * clocks may be wrong. It does not use the time of the last replayed write, because a quiet primary writes nothing.
 */
export class ReplicaLag {
  /** Positions that the replica may not have reached yet, oldest first. */
  private awaited: Sample[] = [];
  private currentAtMs: number | undefined;
  private replayed = 0n;

  /** Whether the replica has reached any known position of the primary. False again after the replica has lost data. */
  get isKnown(): boolean {
    return this.currentAtMs !== undefined;
  }

  /** How old the replica's data is at most: the time since the primary was at a position that the replica has reached. */
  ms(nowMs = performance.now()): number {
    return this.currentAtMs === undefined ? Infinity : nowMs - this.currentAtMs;
  }

  /** @param atMs when the primary was queried. */
  primaryWas(written: bigint, atMs: number): void {
    // After a failover, the new primary may have written less than the old one: the replica never reaches the later positions.
    this.awaited = this.awaited.filter((sample) => sample.written <= written);
    if (this.awaited.length < MAX_SAMPLES) this.awaited.push({ written, atMs });
  }

  replicaIs(replayed: bigint): void {
    // A restored standby may report less than before. Its lag is then unknown until it reaches a later position.
    if (replayed < this.replayed) this.currentAtMs = undefined;
    this.replayed = replayed;
    const has = this.awaited.filter(({ written }) => written <= replayed);
    this.currentAtMs = has.at(-1)?.atMs ?? this.currentAtMs;
    this.awaited = this.awaited.slice(has.length);
  }
}
