import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseStatsService } from '../../src/monitoring/management/database-stats.service.js';
import { ManagementServer } from '../../src/monitoring/management/management-server.js';

/**
 * Opens a process's management port.
 * @param freshForMs how long values from PostgreSQL are not read again. With 0, a value that can't be read is not kept, either.
 * @returns its URL.
 */
export async function openManagementPort(
  app: INestApplicationContext,
  freshForMs = app.get(DatabaseStatsService).freshForMs,
): Promise<string> {
  const stats = app.get(DatabaseStatsService);
  stats.freshForMs = freshForMs;
  if (freshForMs === 0) stats.keptForMs = 0;
  return `http://127.0.0.1:${await app.get(ManagementServer).listen(0)}`;
}

export type Labels = Record<string, string>;

/** One answer of `/metrics`, in Prometheus' text format. */
export class Scrape {
  private constructor(private readonly lines: string[]) {}

  static async of(managementUrl: string): Promise<Scrape> {
    const response = await fetch(`${managementUrl}/metrics`);
    if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
    return new Scrape((await response.text()).split('\n'));
  }

  /** The sample with exactly these labels; undefined when there is none. */
  value(name: string, labels: Labels = {}): number | undefined {
    const wanted = JSON.stringify(sorted(labels));
    return this.samples(name).find((sample) => JSON.stringify(sorted(sample.labels)) === wanted)?.value;
  }

  samples(name: string): { labels: Labels; value: number }[] {
    return this.lines.flatMap((line) => {
      const [, metric, text = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (metric !== name) return [];
      const labels = [...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, of]) => [label, of] as const);
      return [{ labels: Object.fromEntries(labels) as Labels, value: Number(value) }];
    });
  }

  /** The text that a failing test shows. */
  toJSON(): string[] {
    return this.lines.filter((line) => /^(topup|http)_/.test(line) && !line.includes('_bucket'));
  }

  /** Every value that a label has in a metric. */
  valuesOf(name: string, label: string): Set<string | undefined> {
    return new Set(this.samples(name).map(({ labels }) => labels[label]));
  }
}

const sorted = (labels: Labels): [string, string][] => Object.entries(labels).sort(([a], [b]) => a.localeCompare(b));
