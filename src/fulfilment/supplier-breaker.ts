import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';

interface Options {
  /** Called when the supplier may be called again. */
  onResume: (supplierId: number) => void;
  /** Called when a pause begins, and when the supplier accepts calls again (`pausedMs` is 0). */
  onChange: (supplier: Supplier, pausedMs: number) => void;
  /** Called when a supplier is forgotten. */
  onForget: (supplier: Supplier) => void;
}

interface Supplier {
  id: number;
  code: string;
}

interface Health {
  supplier: Supplier;
  /** Consecutive calls that were not accepted. */
  misses: number;
  /** When the last call ended. */
  endedMs: number;
  pausedUntilMs: number;
  pauseMs: number;
  timer?: NodeJS.Timeout;
}

/** After this many consecutive calls that a supplier did not accept, it gets no calls for a while. */
const TOLERATED_MISSES = 20;
/** Slots for the trial after a pause. There are several, because a supplier may answer inquiries but still accept no sends. */
const TRIAL_SLOTS = 8;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 2_000;
/**
 * A supplier without a call for this long gets none any more, such as because an operator has paused it. So the breaker forgets
 * the supplier. Otherwise its state would stay `half_open` for ever. While units are due, calls are at most ten minutes apart:
 * the longest `Retry-After` that counts.
 */
const FORGET_AFTER_MS = 900_000;

/**
 * A circuit breaker for each supplier. A supplier that accepts nothing gets no calls for a moment, and then a few at a time until
 * it accepts one. Unknown outcomes do not count: the slots already limit calls without an answer. The breaker only postpones
 * calls: units stay due, and no unit fails because of it.
 */
export class SupplierBreaker {
  private readonly health = new Map<number, Health>();

  constructor(private readonly options: Options) {}

  /** The supplier's slots now, out of `usual`. */
  slots(supplierId: number, usual: number): number {
    const health = this.health.get(supplierId);
    if (!health || health.misses < TOLERATED_MISSES) return usual;
    return performance.now() < health.pausedUntilMs ? 0 : Math.min(usual, TRIAL_SLOTS);
  }

  /** Suppliers whose breaker is not closed. Forgets those that get no calls any more. */
  tripped(): Map<number, 'open' | 'half_open'> {
    const now = performance.now();
    for (const health of this.health.values())
      if (health.misses >= TOLERATED_MISSES && now - health.endedMs > FORGET_AFTER_MS) this.forget(health);
    const tripped = [...this.health].filter(([, { misses }]) => misses >= TOLERATED_MISSES);
    return new Map(tripped.map(([id, { pausedUntilMs }]) => [id, now < pausedUntilMs ? 'open' : 'half_open'] as const));
  }

  /** Records how a call ended. */
  note(supplier: Supplier, outcome: SupplierOutcome['kind']): void {
    const health = this.health.get(supplier.id) ?? {
      supplier,
      misses: 0,
      endedMs: 0,
      pausedUntilMs: 0,
      pauseMs: FIRST_PAUSE_MS,
    };
    this.health.set(supplier.id, health);
    health.endedMs = performance.now();
    if (outcome === 'not_accepted') this.miss(supplier, health);
    else if (outcome !== 'unknown') this.recover(supplier, health);
  }

  /** Clears the timers of all pauses. */
  close(): void {
    for (const { timer } of this.health.values()) clearTimeout(timer);
  }

  private miss(supplier: Supplier, health: Health): void {
    health.misses++;
    const now = performance.now();
    // A call that was in flight when the pause began does not prolong the pause.
    if (health.misses < TOLERATED_MISSES || now < health.pausedUntilMs) return;
    const { pauseMs } = health;
    health.pausedUntilMs = now + pauseMs;
    health.pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    // The timer fires just after the pause, so that the dispatcher finds it over.
    health.timer = setTimeout(() => this.options.onResume(supplier.id), pauseMs + 1);
    health.timer.unref();
    this.options.onChange(supplier, pauseMs);
  }

  private forget({ supplier, timer }: Health): void {
    clearTimeout(timer);
    this.health.delete(supplier.id);
    this.options.onForget(supplier);
  }

  private recover(supplier: Supplier, health: Health): void {
    clearTimeout(health.timer);
    this.health.delete(supplier.id);
    if (health.misses < TOLERATED_MISSES) return;
    this.options.onChange(supplier, 0);
    this.options.onResume(supplier.id);
  }
}
