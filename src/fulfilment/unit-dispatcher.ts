import { Inject, Injectable } from '@nestjs/common';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { Claims } from '../database/claims.js';
import { Database } from '../database/database.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { WorkLanes } from '../queues/work-lanes.js';
import { CallReport } from './call-report.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { SupplierBreaker } from './supplier-breaker.js';
import { SupplierCaller } from './supplier-caller.js';
import {
  CLAIM_UNITS,
  FIND_OVERDUE,
  PULL_BACK_UNITS,
  RELEASE_UNITS,
  UNDO_CLAIM,
  UNDO_CLAIMS,
  type ClaimedUnit,
} from './units.sql.js';

const MAX_IN_FLIGHT = 1_000;
const PULL_BACK_BATCH = 1_000;

type Task = ClaimedUnit & { claimedAtMs: number };

/**
 * Buys units: claims due ones (the intent is committed), calls the supplier with no transaction open, and records what
 * came of it. PostgreSQL decides who may send; nothing here re-runs a purchase (contract, section 8).
 */
@Injectable()
export class UnitDispatcher {
  private readonly lanes: WorkLanes<Task>;
  private readonly claims: Claims;
  private readonly breaker = new SupplierBreaker({
    onResume: (supplierId) => this.wake([supplierId]),
    onChange: ({ code }, pausedMs) => this.report.paused(code, pausedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly recorder: OutcomeRecorder,
    private readonly caller: SupplierCaller,
    heartbeat: WorkerHeartbeat,
    private readonly report: CallReport,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.claims = new Claims(heartbeat.name);
    this.lanes = new WorkLanes<Task>({
      name: 'fulfilment',
      logger,
      limitOf: (supplierId) => this.breaker.places(supplierId, config.SUPPLIER_MAX_IN_FLIGHT),
      totalLimit: MAX_IN_FLIGHT,
      claim: (room, total) => this.claim(room, total),
      laneOf: ({ supplier_id }) => supplier_id,
      run: (task) => this.run(task),
    });
  }

  /** Units of these suppliers may be due. Returns at once; before the database is there, it has nothing to say. */
  wake(supplierIds: Iterable<number>): void {
    if (this.database.isOpen) this.lanes.wake(supplierIds);
  }

  /** Wakes every supplier with due units, whether or not a wake-up came for them. */
  async wakeOverdue(): Promise<void> {
    await this.claims.undoLost(async (names) => void (await this.database.query(UNDO_CLAIMS, [names])));
    const suppliers = await this.database.query<{ id: number }>(FIND_OVERDUE);
    this.wake(suppliers.map(({ id }) => id));
  }

  /** Takes over what workers had claimed that are gone. */
  async releaseClaimsOf(workers: string[]): Promise<void> {
    await this.database.query(RELEASE_UNITS, [workers]);
  }

  /** Makes up for a clock of the database that was set back. @returns how many units are due earlier now. */
  async pullBack(): Promise<number> {
    let total = 0;
    for (;;) {
      const { length } = await this.database.query(PULL_BACK_UNITS, [PULL_BACK_BATCH]);
      total += length;
      if (length < PULL_BACK_BATCH) return total;
    }
  }

  /** Claims nothing more and waits for the calls in flight. */
  async drain(): Promise<void> {
    this.breaker.close();
    await this.lanes.drain();
    await this.recorder.drain();
  }

  private async claim(room: Map<number, number>, total: number): Promise<Task[]> {
    const claimedAtMs = performance.now();
    const units = await this.claims.claim((name) =>
      this.database.query<ClaimedUnit>(CLAIM_UNITS, [
        [...room.keys()],
        [...room.values()],
        total,
        name,
        LEASE_MARGIN_MS,
      ]),
    );
    if (units.length > 0) failpoint('unit.claimed');
    const withheld = units.filter(({ action }) => action === 'review');
    if (withheld.length > 0) await this.recorder.recordWithheld(withheld);
    return units.filter(({ action }) => action !== 'review').map((unit) => ({ ...unit, claimedAtMs }));
  }

  private async run(task: Task): Promise<void> {
    // A process that was stopped for longer than its lease no longer owns the unit.
    if (performance.now() - task.claimedAtMs > LEASE_MARGIN_MS) return this.undo(task);
    const call = await this.caller.call(task);
    this.breaker.note({ id: task.supplier_id, code: task.supplier }, call.outcome.kind);
    const leaseEndMs = task.claimedAtMs + task.timeout_ms + LEASE_MARGIN_MS;
    const isDueAgain = await this.recorder.record(call, leaseEndMs);
    if (isDueAgain) this.wake([task.supplier_id]);
  }

  /** Nothing was sent for a claim that came too late; unless another has claimed the unit since, it is due again. */
  private async undo(task: Task): Promise<void> {
    this.report.tooLate(task);
    const { order_id, item, unit, claim, supplier_id } = task;
    await this.database.query(UNDO_CLAIM, [order_id, item, unit, claim]);
    this.wake([supplier_id]);
  }
}
