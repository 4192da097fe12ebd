import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { SupplierStatesRepository } from '../figures/supplier-states.repository.js';
import { UnitDispatcher } from '../fulfilment/unit-dispatcher.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { WorkerJob } from './worker-job.js';

/** How soon a change of a breaker is written; looking costs nothing. */
const LOOK_EVERY_MS = 1_000;
/** And how often all that this worker knows is. */
const WRITE_EVERY_MS = 10_000;

/** Writes how this worker finds its suppliers: at once when a breaker opens or closes, and else every 10 s. */
@Injectable()
export class SupplierStates extends WorkerJob {
  private breakers = '';
  private writtenAtMs = -Infinity;

  constructor(
    schema: SchemaService,
    private readonly dispatcher: UnitDispatcher,
    private readonly states: SupplierStatesRepository,
    private readonly heartbeat: WorkerHeartbeat,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: LOOK_EVERY_MS,
      run: () => this.writeWhenTime(),
      // The next look writes them.
      onError: ({ message }) => logger.debug({ reason: message }, 'states of suppliers were not written'),
    });
  }

  private async writeWhenTime(): Promise<void> {
    const states = this.dispatcher.supplierStates();
    const breakers = JSON.stringify(states.map(({ supplierId, breaker }) => [supplierId, breaker]));
    const isDue = performance.now() - this.writtenAtMs >= WRITE_EVERY_MS;
    if (!isDue && breakers === this.breakers) return;
    await this.states.write(
      this.heartbeat.name,
      states.map(({ supplierId, breaker, inFlight }) => ({
        ...{ supplier_id: supplierId, breaker, in_flight: inFlight },
      })),
    );
    this.breakers = breakers;
    this.writtenAtMs = performance.now();
  }
}
