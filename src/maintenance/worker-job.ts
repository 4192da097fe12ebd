import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { SchemaService } from '../database/schema.service.js';
import { Recurring, type RecurringOptions } from './recurring.js';

/** How often each worker looks whether something is due that is done once in an interval, by whichever comes first. */
const LOOK_EVERY_MS = 10_000;

/** What a process, most often a worker, does every so often: from when the database has its schema until the process stops. */
export abstract class WorkerJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly recurring: Recurring[] = [];

  protected constructor(private readonly schema: SchemaService) {}

  /** To be called by the constructor, once for each thing that is done at its own interval. */
  protected repeat(options: Omit<RecurringOptions, 'whenReady'>): void {
    this.recurring.push(new Recurring({ ...options, whenReady: () => this.schema.whenReady() }));
  }

  /** The same for what is done once in the interval, by whichever worker finds it due; never where the interval is 0. */
  protected repeatWhenDue({ intervalMs, ...options }: Omit<RecurringOptions, 'whenReady'>): void {
    if (intervalMs > 0) this.repeat({ ...options, intervalMs: Math.min(LOOK_EVERY_MS, intervalMs) });
  }

  onApplicationBootstrap(): void {
    for (const each of this.recurring) each.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.recurring.map((each) => each.stop()));
  }
}
