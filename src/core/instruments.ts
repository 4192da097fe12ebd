import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets for durations from a moment to a day. */
export const ORDER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/** Creates metrics in its own registry. */
export abstract class Instruments {
  readonly registry = new Registry();

  protected counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A counter as a function, which counts one event under the values of its labels. */
  protected counting<Labels extends string[]>(
    name: string,
    help: string,
    labelNames: string[] = [],
  ): (...labels: Labels) => void {
    const counter = this.counter(name, help, labelNames);
    return (...labels) => counter.labels(...labels).inc();
  }

  protected gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  protected histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

/** A row of a statement, by column. */
export type MetricRow = Partial<Record<string, string | number | bigint | boolean | null>>;

/** A gauge that is removed while its value is unknown, so that a stale value is never exported. */
export interface DatabaseGauge {
  /**
   * Sets the gauge from its column in `rows`. {@link gaugeOfFirstRow} uses the first row, and {@link gaugeOfEachRow} sets one value
   * for each row. Where the column is null, the gauge has no value.
   */
  show(rows: readonly MetricRow[]): void;
  clear(): void;
}

export const gaugeOfFirstRow = (gauge: Gauge, column: string, ...labels: string[]): DatabaseGauge => ({
  show: ([row]) => {
    const value = row?.[column] ?? null;
    if (value === null) gauge.remove(...labels);
    else gauge.labels(...labels).set(Number(value));
  },
  clear: () => gauge.remove(...labels),
});

/** A gauge with one value for each row. Labels that no longer have a row are removed. */
export const gaugeOfEachRow = (gauge: Gauge, column: string, labels: readonly string[]): DatabaseGauge => ({
  show: (rows) => {
    gauge.reset();
    for (const row of rows)
      if (row[column] !== null) gauge.labels(...labels.map((name) => String(row[name]))).set(Number(row[column]));
  },
  clear: () => gauge.reset(),
});
