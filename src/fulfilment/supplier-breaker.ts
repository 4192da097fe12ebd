import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';

interface Options {
  /** The supplier may be called again. */
  onResume: (supplierId: number) => void;
  /** A pause begins, or the supplier is well again (`pausedMs` 0). */
  onChange: (supplier: Supplier, pausedMs: number) => void;
}

interface Supplier {
  id: number;
  code: string;
}

interface Health {
  /** Calls in a row that were not accepted. */
  misses: number;
  pausedUntilMs: number;
  pauseMs: number;
  timer?: NodeJS.Timeout;
}

/** So many calls in a row may be refused before the supplier gets a pause. */
const TOLERATED_MISSES = 20;
/** How many may then be tried at a time: some of what waits may be inquiries, which it can answer all the same. */
const TRIAL_SLOTS = 8;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 2_000;

/**
 * A circuit breaker for each supplier. One that accepts nothing, because it is away or has too much to do, is left alone
 * for a moment, then tried with a few calls at a time until one is accepted. An unknown outcome says nothing about the
 * supplier: that unit is inquired about, and calls without an answer are bounded by their slots. It only postpones:
 * what is due stays due, and nothing is failed.
 */
export class SupplierBreaker {
  private readonly health = new Map<number, Health>();

  constructor(private readonly options: Options) {}

  /** How many calls a supplier may have in flight now, out of `usual`. */
  slots(supplierId: number, usual: number): number {
    const health = this.health.get(supplierId);
    if (!health || health.misses < TOLERATED_MISSES) return usual;
    return performance.now() < health.pausedUntilMs ? 0 : Math.min(usual, TRIAL_SLOTS);
  }

  /** Suppliers that are not called as usual. */
  tripped(): Map<number, 'open' | 'half_open'> {
    const tripped = [...this.health].filter(([, { misses }]) => misses >= TOLERATED_MISSES);
    const now = performance.now();
    return new Map(tripped.map(([id, { pausedUntilMs }]) => [id, now < pausedUntilMs ? 'open' : 'half_open'] as const));
  }

  /** Takes note of how a call ended. */
  note(supplier: Supplier, outcome: SupplierOutcome['kind']): void {
    const health = this.health.get(supplier.id) ?? {
      misses: 0,
      pausedUntilMs: 0,
      pauseMs: FIRST_PAUSE_MS,
    };
    this.health.set(supplier.id, health);
    if (outcome === 'not_accepted') this.miss(supplier, health);
    else if (outcome !== 'unknown') this.recover(supplier, health);
  }

  /** Ends all pauses' timers. */
  close(): void {
    for (const { timer } of this.health.values()) clearTimeout(timer);
  }

  private miss(supplier: Supplier, health: Health): void {
    health.misses++;
    const now = performance.now();
    // What was in flight when the pause began says nothing new.
    if (health.misses < TOLERATED_MISSES || now < health.pausedUntilMs) return;
    const { pauseMs } = health;
    health.pausedUntilMs = now + pauseMs;
    health.pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    // Past the end of the pause, so that what is woken finds it over.
    health.timer = setTimeout(() => this.options.onResume(supplier.id), pauseMs + 1);
    health.timer.unref();
    this.options.onChange(supplier, pauseMs);
  }

  private recover(supplier: Supplier, health: Health): void {
    clearTimeout(health.timer);
    this.health.delete(supplier.id);
    if (health.misses < TOLERATED_MISSES) return;
    this.options.onChange(supplier, 0);
    this.options.onResume(supplier.id);
  }
}
