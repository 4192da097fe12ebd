import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import { ORDER_SECONDS, type MetricRow } from '../../core/instruments.js';
import { CALL_SECONDS, type DatabaseMetricName } from '../../core/metrics.js';
import type { StatKind } from './counted.js';
import { DatabaseStatsRepository } from './database-stats.repository.js';
import { MinuteStatsRepository, type StepRow, type Steps } from './minute-stats.repository.js';
import { percentile, type Bucket } from './percentiles.js';

/** The levels that are stored each minute. `StatsService.now` returns their current values. */
const LEVELS = [
  'orders_open',
  'orders_oldest_open_seconds',
  'units_unknown',
  'units_unknown_oldest_seconds',
  'units_review',
  'units_review_oldest_seconds',
  'webhooks_due',
  'webhooks_oldest_due_seconds',
  'wallets_below_alert',
  'supplier_reversals_open',
] as const satisfies readonly DatabaseMetricName[];
type Level = (typeof LEVELS)[number];

/** The levels, and the time since the last backup was completed, which is not stored each minute. */
const CURRENT = [...LEVELS, 'backup_age_seconds'] as const satisfies readonly DatabaseMetricName[];
type Current = (typeof CURRENT)[number];

/** A value is null if its statement failed or took too long. The time since a backup is also null before the first attempt. */
type CurrentStats = Record<Current, number | null> & {
  at: string;
  orders_per_minute: number;
  /** The share of failed orders among the orders that ended within the last hour; null if none ended. */
  failed_share: number | null;
};

export interface Series {
  name: string;
  values: (number | null)[];
}

interface Durations {
  name: string;
  p50_ms: (number | null)[];
  p95_ms: (number | null)[];
}

interface StatsOverTime {
  step_seconds: number;
  /** The start of each step. */
  at: string[];
  counts: Series[];
  levels: Series[];
  durations: Durations[];
}

/** The order rate is the average of this many whole minutes and of the current minute. */
const PACE_MINUTES = 5;
const FAILED_WITHIN_MINUTES = 60;

export const CALL_BOUNDS_MS = CALL_SECONDS.map((seconds) => seconds * 1000);
const ORDER_BOUNDS_MS = ORDER_SECONDS.map((seconds) => seconds * 1000);

/** Stats of the whole service and of each supplier: now, and over a period. */
@Injectable()
export class StatsService {
  constructor(
    private readonly levels: DatabaseStatsRepository,
    private readonly minutes: MinuteStatsRepository,
  ) {}

  /** @throws SERVICE_UNAVAILABLE */
  async now(): Promise<CurrentStats> {
    const [levels, pace, ended] = await Promise.all([
      this.read(CURRENT),
      this.minutes.readPace(PACE_MINUTES),
      this.minutes.readRecent(['orders'], [''], FAILED_WITHIN_MINUTES),
    ]);
    const count = (label: string): number => Number(ended.find((row) => row.label === label)?.value ?? 0);
    const [failed, completed] = [count('failed'), count('completed')];
    const known = CURRENT.map((name) => [name, levels.get(name) ?? null]);
    return {
      ...(Object.fromEntries(known) as Record<Current, number | null>),
      at: new Date().toISOString(),
      orders_per_minute: pace,
      failed_share: failed + completed === 0 ? null : failed / (failed + completed),
    };
  }

  /** Reads all levels that PostgreSQL answers in time. @throws SERVICE_UNAVAILABLE */
  readLevels(): Promise<Map<Level, number>> {
    return this.read(LEVELS);
  }

  private async read<Name extends Current>(wanted: readonly Name[]): Promise<Map<Name, number>> {
    const isWanted = (name: DatabaseMetricName): name is Name =>
      (wanted as readonly DatabaseMetricName[]).includes(name);
    const known = new Map<Name, number>();
    for (const statement of this.levels.statements) {
      const names = statement.metrics.filter(isWanted);
      if (names.length === 0) continue;
      const [row] = await this.levels.read(statement).catch(orNothing);
      for (const name of names) {
        const value = row?.[name];
        if (value !== null && value !== undefined) known.set(name, Math.round(Number(value)));
      }
    }
    return known;
  }

  /** Orders and webhooks over a period. */
  async overTime(steps: Steps): Promise<StatsOverTime> {
    const kinds: StatKind[] = ['orders', 'order_duration', 'webhook_attempts', 'levels'];
    const rows = await this.minutes.readSteps(kinds, '', steps);
    const perStep = new StepValues(steps);
    const of = (figure: StatKind, isMeant: (label: string) => boolean): StepRow[] =>
      rows.filter((row) => row.figure === figure && isMeant(row.label));
    return {
      ...perStep.times(),
      counts: [
        ...['placed', 'completed', 'failed'].map((name) => ({
          name: `orders_${name}`,
          values: perStep.sums(of('orders', (label) => label === name)),
        })),
        { name: 'webhooks_delivered', values: perStep.sums(of('webhook_attempts', isDelivered)) },
        {
          name: 'webhooks_failed',
          values: perStep.sums(of('webhook_attempts', (label) => !isDelivered(label))),
        },
      ],
      levels: LEVELS.map((name) => ({ name, values: perStep.levels(of('levels', (label) => label === name)) })),
      durations: [
        {
          name: 'orders',
          ...perStep.durations(
            of('order_duration', () => true),
            ORDER_BOUNDS_MS,
          ),
        },
      ],
    };
  }

  /** Purchases and inquiries at a supplier over a period, by outcome. @param supplier its code. */
  async supplierOverTime(supplier: string, steps: Steps): Promise<StatsOverTime> {
    const kinds: StatKind[] = [
      ...(['supplier_sends', 'supplier_inquiries'] as const),
      ...(['supplier_send_duration', 'supplier_inquiry_duration'] as const),
    ];
    const rows = await this.minutes.readSteps(kinds, supplier, steps);
    const perStep = new StepValues(steps);
    const calls = rows.filter(({ up_to_ms: upTo }) => upTo === 0);
    const outcomes = [...new Set(calls.map(({ label }) => label))].sort();
    return {
      ...perStep.times(),
      counts: outcomes.map((name) => ({
        name,
        values: perStep.sums(calls.filter(({ label }) => label === name)),
      })),
      levels: [],
      durations: (['send', 'inquiry'] as const).map((name) => ({
        name,
        ...perStep.durations(
          rows.filter(({ figure }) => figure === `supplier_${name}_duration`),
          CALL_BOUNDS_MS,
        ),
      })),
    };
  }
}

const isDelivered = (label: string): boolean => label === '2xx';

/** @returns no rows if a statement failed, for example because it took too long. @throws the error if it is an AppError. */
function orNothing(error: unknown): MetricRow[] {
  if (error instanceof AppError) throw error;
  return [];
}

/** Arranges rows by the steps of a period. */
class StepValues {
  private readonly count: number;

  constructor(private readonly steps: Steps) {
    const seconds = (steps.until.getTime() - steps.since.getTime()) / 1000;
    this.count = Math.ceil(seconds / steps.stepSeconds);
  }

  times(): Pick<StatsOverTime, 'at' | 'step_seconds'> {
    const { since, stepSeconds } = this.steps;
    const at = (step: number): string => new Date(since.getTime() + step * stepSeconds * 1000).toISOString();
    return { step_seconds: stepSeconds, at: this.each(at) };
  }

  /** The sum in each step; 0 in a step without rows, because nothing happened. */
  sums(rows: readonly StepRow[]): number[] {
    const values = this.each(() => 0);
    for (const { step, value } of rows) values[step] = (values[step] ?? 0) + Number(value);
    return values;
  }

  /** The level in each step; null in a step without rows, because the level is unknown. */
  levels(rows: readonly StepRow[]): (number | null)[] {
    const values = this.each<number | null>(() => null);
    for (const { step, value } of rows) values[step] = Number(value);
    return values;
  }

  durations(rows: readonly StepRow[], bounds: readonly number[]): Omit<Durations, 'name'> {
    const buckets = this.each<Bucket[]>(() => []);
    for (const { step, up_to_ms, value } of rows) buckets[step]?.push({ up_to_ms, count: Number(value) });
    const share = (of: number): (number | null)[] => buckets.map((each) => percentile(each, of, bounds));
    return { p50_ms: share(0.5), p95_ms: share(0.95) };
  }

  private each<Value>(make: (step: number) => Value): Value[] {
    return Array.from({ length: this.count }, (_, step) => make(step));
  }
}
