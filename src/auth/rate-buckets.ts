import type { IncrementResponse, Store } from 'express-rate-limit';

/**
 * What other processes report may be this late. A merchant that keeps to its limit looks by so much busier than it is, so
 * that what all processes know together is compared with the limit and so much more.
 */
export const LATE_MS = 250;
/** A key that has not been seen for so long has an empty bucket, however full it was. */
const FORGET_AFTER_MS = 3_000;
/** For so long after its last request, a process wants to know what others count. */
const FOLLOW_MS = 1_000;

/**
 * Admits `limit` hits a second of each key, and as many at once. Each hit fills a bucket that empties at that pace: so there
 * is no moment at which twice the limit gets through. What was refused fills nothing.
 *
 * A key has two buckets. Its own one has the hits of this process only, and is exact. The shared one has those of all
 * processes, as far as they are known. All times are of a clock that nobody can set.
 */
export class RateBuckets implements Store {
  readonly localKeys = false;
  private readonly keys = new Map<string, KeyBuckets>();

  constructor(readonly limit: number) {}

  /** How many keys are remembered. */
  get size(): number {
    return this.keys.size;
  }

  /** The library takes a missing `resetTime` for a second, which is right to the second it tells. */
  increment(key: string): IncrementResponse {
    const now = performance.now();
    let buckets = this.keys.get(key);
    if (!buckets) this.keys.set(key, (buckets = new KeyBuckets(this.limit)));
    const isAdmitted = buckets.admit(now);
    const hits = Math.ceil(buckets.levelAt(now) - ROUNDING);
    return { totalHits: isAdmitted ? Math.min(hits, this.limit) : this.limit + 1, resetTime: undefined };
  }

  /** The library asks for it only where answers decide what counts, which none do here. */
  decrement(): void {}

  resetKey(key: string): void {
    this.keys.delete(key);
  }

  /** Takes out what others have to be told of keys that are in use, and forgets the rest. */
  takeReports(): Report[] {
    const now = performance.now();
    const reports: Report[] = [];
    for (const [key, buckets] of this.keys) {
      if (now - buckets.seenAtMs > FORGET_AFTER_MS) this.keys.delete(key);
      else if (now - buckets.seenAtMs <= FOLLOW_MS) reports.push({ key, ...buckets.takeReport() });
    }
    return reports;
  }

  /** What all processes together had counted, at a moment that was not before `atMs`. */
  learn(key: string, level: number, atMs: number): void {
    this.keys.get(key)?.learn(level, atMs);
  }
}

/** Hits of a key that are told to other processes, the first of them at `sinceMs`. There may be none. */
export interface Report {
  key: string;
  hits: number;
  sinceMs: number;
}

/** Of fractions, so that a bucket that is empty but for one doesn't count. */
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

/** It empties at `limit` hits a second. */
class Bucket {
  /** When it will be empty, or was. */
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
