import type { IncrementResponse, Store } from 'express-rate-limit';

/**
 * How late other processes' reports may arrive. Late reports make a key look busier than it is, so the shared bucket
 * allows the hits of this time in addition to the limit.
 */
export const LATE_MS = 250;
/** After this long without a request, any bucket is empty. */
const FORGET_AFTER_MS = 3_000;
/** How long after a key's last request a process still follows the shared count. */
const FOLLOW_MS = 1_000;

/**
 * Admits `limit` hits a second per key, with bursts up to `limit`. Each admitted hit fills a leaky bucket, which drains
 * `limit` hits a second. So in no second does one process admit more than twice the limit. Refused hits fill nothing.
 *
 * A key has two buckets: an exact one for the hits of this process, and a shared one for the reported hits of all processes.
 * All times are monotonic.
 */
export class RateBuckets implements Store {
  readonly localKeys = false;
  private readonly keys = new Map<string, KeyBuckets>();

  constructor(readonly limit: number) {}

  /** How many keys are remembered. */
  get size(): number {
    return this.keys.size;
  }

  /** Without `resetTime` the library assumes one second, which is right here. */
  increment(key: string): IncrementResponse {
    const now = performance.now();
    let buckets = this.keys.get(key);
    if (!buckets) this.keys.set(key, (buckets = new KeyBuckets(this.limit)));
    const isAdmitted = buckets.admit(now);
    const hits = Math.ceil(buckets.levelAt(now) - ROUNDING);
    return { totalHits: isAdmitted ? Math.min(hits, this.limit) : this.limit + 1, resetTime: undefined };
  }

  /** The library calls this only if answers decide which requests count; here they do not. */
  decrement(): void {}

  resetKey(key: string): void {
    this.keys.delete(key);
  }

  /** Returns the reports for other processes and begins new ones. Forgets keys that are no longer in use. */
  takeReports(): Report[] {
    const now = performance.now();
    const reports: Report[] = [];
    for (const [key, buckets] of this.keys) {
      if (now - buckets.seenAtMs > FORGET_AFTER_MS) this.keys.delete(key);
      else if (now - buckets.seenAtMs <= FOLLOW_MS) reports.push({ key, ...buckets.takeReport() });
    }
    return reports;
  }

  /** Sets the level of the shared bucket. @param atMs a time before the level was read. */
  learn(key: string, level: number, atMs: number): void {
    this.keys.get(key)?.learn(level, atMs);
  }
}

/** Hits of a key to report to other processes, possibly none. The first one was at `sinceMs`. */
export interface Report {
  key: string;
  hits: number;
  sinceMs: number;
}

/** Tolerance: a bucket that holds only a rounding error counts as empty. */
const ROUNDING = 1e-6;

class KeyBuckets {
  seenAtMs = 0;
  private readonly own: Bucket;
  private readonly shared: Bucket;
  private unreported = { hits: 0, sinceMs: 0 };

  constructor(private readonly limit: number) {
    this.own = new Bucket(limit);
    this.shared = new Bucket(limit);
  }

  admit(now: number): boolean {
    this.seenAtMs = now;
    const isFull =
      this.own.levelAt(now) + 1 > this.limit + ROUNDING ||
      this.shared.levelAt(now) + 1 > this.limit * (1 + LATE_MS / 1_000) + ROUNDING;
    if (isFull) return false;
    this.own.add(1, now);
    this.shared.add(1, now);
    if (this.unreported.hits++ === 0) this.unreported.sinceMs = now;
    return true;
  }

  levelAt(now: number): number {
    return Math.max(this.own.levelAt(now), this.shared.levelAt(now));
  }

  takeReport(): { hits: number; sinceMs: number } {
    const report = this.unreported;
    this.unreported = { hits: 0, sinceMs: 0 };
    return report;
  }

  learn(level: number, atMs: number): void {
    this.shared.set(level, atMs);
    const { hits, sinceMs } = this.unreported;
    if (hits > 0) this.shared.add(hits, sinceMs);
  }
}

/** A leaky bucket that drains `limit` hits a second. */
class Bucket {
  /** May lie in the past. */
  private emptyAtMs = 0;
  private readonly msPerHit: number;

  constructor(limit: number) {
    this.msPerHit = 1_000 / limit;
  }

  levelAt(ms: number): number {
    return Math.max(0, this.emptyAtMs - ms) / this.msPerHit;
  }

  add(hits: number, atMs: number): void {
    this.emptyAtMs = Math.max(this.emptyAtMs, atMs) + hits * this.msPerHit;
  }

  set(level: number, atMs: number): void {
    this.emptyAtMs = atMs + level * this.msPerHit;
  }
}
