import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosSystem } from './system.js';
import type { Moved, Vendor } from './vendor.js';

/** The step of the vendor's clock, and its interval. */
const STEP_MS = 10_000;
const EVERY_MS = 700;
/** Longer than a call to the vendor may be in flight. Later attempts are not changed. */
const CALL_MS = 5_000;
/** Longer than any worker is stopped, because a stopped worker may continue with its claim. */
const MAX_STOP_MS = 25_000;

/** Makes units at the vendor due earlier, as if more time had passed since their last call. */
const BRING_FORWARD = `
  UPDATE order_units u SET
    next_action_at = u.next_action_at - $1::interval, updated_at = u.updated_at - $1::interval,
    first_sent_at = u.first_sent_at - $1::interval, last_sent_at = u.last_sent_at - $1::interval,
    unknown_since = u.unknown_since - $1::interval
  FROM suppliers s, unit_attempts a
  WHERE s.id = u.supplier_id AND s.code = $4 AND u.next_action_at > now()
    AND u.updated_at < now() - CASE WHEN u.claimed_by IS NULL THEN $2::interval ELSE $3::interval END
    AND a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
  RETURNING a.reference`;

interface Step extends Moved {
  /** The attempts whose time was moved; null if nobody knows, after a lost answer. Then it counts as moved for each. */
  references: ReadonlySet<string> | null;
}

/**
 * The faster time at a vendor with long minimum gaps between two calls about an attempt. It applies to the vendor, and to
 * attempts without a call in flight. Each step is recorded, which shows the real gap between two calls of an attempt. Other
 * vendors have the normal time.
 */
export class VendorTime {
  /** Whether no worker is stopped any more. */
  isCalm = false;
  private readonly steps: Step[] = [];
  private isOver = false;
  private passing: Promise<void> | undefined;

  constructor(
    private readonly system: ChaosSystem,
    readonly vendor: Vendor,
  ) {}

  start(): void {
    if (this.vendor.kind.isTimeFast) this.passing = this.pass();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.passing;
  }

  /**
   * The gap between two calls of an attempt, for the service: the passed time, and the steps of the vendor's clock.
   * @param fromMs and toMs by the vendor's clock.
   */
  leftAloneMs(reference: string, fromMs: number, toMs: number): number {
    const between = this.steps.filter(({ nowMs }) => nowMs > fromMs && nowMs <= toMs);
    const movedMs = (steps: Step[]): number => steps.reduce((sum, { byMs }) => sum + byMs, 0);
    const forIt = between.filter(({ references }) => references?.has(reference) ?? true);
    return toMs - fromMs - movedMs(between) + movedMs(forIt);
  }

  private async pass(): Promise<void> {
    for (; !this.isOver; await delay(EVERY_MS)) {
      // The vendor's clock first: a call that is due by our clock must be due by the vendor's clock.
      const moved = await this.vendor.moveClock(STEP_MS).catch(() => null);
      if (moved === null) continue;
      const interval = (ms: number): string => `${ms} milliseconds`;
      const longestMs = this.isCalm ? CALL_MS : MAX_STOP_MS;
      const values = [...[STEP_MS, CALL_MS, longestMs].map(interval), this.vendor.kind.code];
      const brought = await this.system.sql<{ reference: string }>(BRING_FORWARD, values).catch(() => null);
      this.steps.push({ ...moved, references: brought && new Set(brought.map(({ reference }) => reference)) });
    }
  }
}
