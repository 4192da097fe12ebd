import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { withDeadline } from '../core/deadline.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { SchemaService } from '../database/schema.service.js';
import { readCounted, since, type Counted } from '../figures/counted.js';
import { MinuteFiguresRepository } from '../figures/minute-figures.repository.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 10_000;
/** A process that stops waits no longer for its last figures. */
const LAST_WITHIN_MS = 1_000;

/**
 * Adds what this process has counted since the last time to the figures of the minute, every 10 s in one statement. It
 * reads what the metrics counted, so that nothing is added to the way of an order.
 */
@Injectable()
export class MinuteFigures extends WorkerJob {
  private kept: Counted[] = [];
  private isFailing = false;

  constructor(
    schema: SchemaService,
    private readonly figures: MinuteFiguresRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: () => this.add(),
      onError: ({ message }) => this.report(message),
    });
  }

  /** What was counted since the last time would be lost. */
  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await withDeadline(this.add(), LAST_WITHIN_MS).catch(() => undefined);
  }

  /** What could not be written is part of the next difference. */
  private async add(): Promise<void> {
    const counted = await readCounted(this.metrics.registry);
    const rows = since(this.kept, counted);
    if (rows.length > 0) await this.figures.add(rows);
    this.kept = counted;
    this.isFailing = false;
  }

  /** One line until it works again: nothing is lost meanwhile. */
  private report(reason: string): void {
    if (!this.isFailing) this.logger.warn({ reason }, 'figures could not be kept: they are added later');
    this.isFailing = true;
  }
}
