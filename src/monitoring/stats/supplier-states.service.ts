import { Injectable } from '@nestjs/common';
import { WorkerTask } from '../../core/worker-task.js';
import { UnitDispatcher } from '../../fulfilment/unit-dispatcher.js';
import { WorkerHeartbeatService } from '../../queues/worker-heartbeat.service.js';
import { SupplierStatesRepository } from './supplier-states.repository.js';

/** How soon a change of a breaker is written. */
const CHECK_EVERY_MS = 1_000;
/** How often all states are written. */
const WRITE_EVERY_MS = 10_000;

/** Writes this worker's view of its suppliers: within a second when a breaker changes, otherwise every 10 s. */
@Injectable()
export class SupplierStatesService {
  private breakers = '';
  private writtenAtMs = -Infinity;

  constructor(
    private readonly dispatcher: UnitDispatcher,
    private readonly states: SupplierStatesRepository,
    private readonly heartbeat: WorkerHeartbeatService,
  ) {}

  /** After a failure the next run writes the states. */
  @WorkerTask('supplier_states', {
    every: CHECK_EVERY_MS,
    failed: 'states of suppliers could not be written',
    level: 'debug',
  })
  async writeIfDue(): Promise<void> {
    const states = this.dispatcher.supplierStates();
    const breakers = JSON.stringify(states.map(({ supplierId, breaker }) => [supplierId, breaker]));
    const isDue = performance.now() - this.writtenAtMs >= WRITE_EVERY_MS;
    if (!isDue && breakers === this.breakers) return;
    await this.states.write(
      this.heartbeat.name,
      states.map(({ supplierId, breaker, inFlight }) => ({
        supplier_id: supplierId,
        breaker,
        in_flight: inFlight,
      })),
    );
    this.breakers = breakers;
    this.writtenAtMs = performance.now();
  }
}
