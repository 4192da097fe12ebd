interface Sample {
  /** How much the primary had written, in bytes since its beginning. */
  written: bigint;
  /** When it was asked, in monotonic milliseconds. */
  atMs: number;
}

/** More are kept only while the replica stands still; then the oldest say enough. */
const MAX = 600;

/**
 * How far a replica is behind: since when it lacks something that the primary had. Measured by this process's clock alone,
 * so that neither the servers' clocks nor a quiet primary, which writes nothing to replay, mislead it.
 */
export class ReplicaLag {
  /** What the replica may not have yet, oldest first. */
  private awaited: Sample[] = [];
  private currentAtMs: number | undefined;
  private replayed = 0n;

  /** Whether the replica was ever seen to have all that the primary had at some moment. */
  get isKnown(): boolean {
    return this.currentAtMs !== undefined;
  }

  /** How long ago the primary had no more than what the replica has now; infinite before that is known. */
  ms(nowMs = performance.now()): number {
    return this.currentAtMs === undefined ? Infinity : nowMs - this.currentAtMs;
  }

  /** @param atMs when it was asked. */
  primaryWas(written: bigint, atMs: number): void {
    // After a failover the new primary may have written less: what was awaited never comes.
    this.awaited = this.awaited.filter((sample) => sample.written <= written);
    if (this.awaited.length < MAX) this.awaited.push({ written, atMs });
  }

  replicaIs(replayed: bigint): void {
    // A standby that begins anew may show less than before: it lacks again what it had, and when that was is not known.
    if (replayed < this.replayed) this.currentAtMs = undefined;
    this.replayed = replayed;
    const has = this.awaited.filter(({ written }) => written <= replayed);
    this.currentAtMs = has.at(-1)?.atMs ?? this.currentAtMs;
    this.awaited = this.awaited.slice(has.length);
  }
}
