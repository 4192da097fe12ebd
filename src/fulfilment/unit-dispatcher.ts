import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { failpoint } from '../core/failpoints.js';
import { Database } from '../database/database.js';
import { Dispatcher } from '../queues/dispatcher.js';
import { LeasedWork, type ClaimRequest } from '../queues/leased-work.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { isDefinite } from '../suppliers/supplier-outcome.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import { SettlementRetryService } from './settlement-retry.service.js';
import type { EndedCall } from './ended-call.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { SupplierBreaker } from './supplier-breaker.js';
import { SupplierPace } from './supplier-pace.js';
import { SupplierShares } from './supplier-shares.js';
import { SupplierCaller } from './supplier-caller.js';
import { UnitObserver } from './unit.observer.js';
import { UnitsRepository, type ClaimedUnit } from './units.repository.js';

const TOTAL_SLOTS = 1_000;

/** A supplier's state as this process sees it. */
export interface SupplierView {
  supplierId: number;
  breaker: 'closed' | 'open' | 'half_open';
  /** Calls in flight. */
  inFlight: number;
}

/**
 * Buys units: it claims due units, which commits the intent, calls their suppliers with no transaction open, and records the
 * outcomes. PostgreSQL decides which process may send, so no purchase is repeated (contract, section 8). The
 * SUPPLIER_MAX_IN_FLIGHT slots of a supplier are divided among live workers. A supplier's own limit holds over all workers:
 * the claim enforces it. A supplier that accepts nothing gets fewer slots.
 */
@Injectable()
@Dispatcher('units')
export class UnitDispatcher {
  readonly work: LeasedWork<ClaimedUnit>;
  private readonly breaker: SupplierBreaker;
  private readonly pace = new SupplierPace();
  private readonly shares = new SupplierShares();

  constructor(
    database: Database,
    private readonly units: UnitsRepository,
    private readonly caller: SupplierCaller,
    private readonly recorder: OutcomeRecorder,
    private readonly settlements: SettlementRetryService,
    observer: UnitObserver,
    private readonly heartbeat: WorkerHeartbeatService,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.breaker = new SupplierBreaker({
      onResume: (supplierId) => this.work.wake([supplierId]),
      onChange: ({ code }, pausedMs) => observer.paused(code, pausedMs),
      onForget: ({ code }) => observer.forgotten(code),
    });
    this.work = new LeasedWork<ClaimedUnit>({
      table: units,
      claim: (request) => this.claim(request),
      run: (unit, leaseEndMs, freeSlot) => this.run(unit, leaseEndMs, freeSlot),
      partitionOf: ({ supplier_id }) => supplier_id,
      slotsOf: (supplierId) => this.breaker.slots(supplierId, this.pace.slots(supplierId, this.usualSlots)),
      totalSlots: TOTAL_SLOTS,
      runLimitMs: ({ timeout_ms }) => timeout_ms,
      leaseMarginMs: LEASE_MARGIN_MS,
      process: heartbeat.name,
      isReady: () => database.isOpen,
      observer,
    });
  }

  private get usualSlots(): number {
    return this.heartbeat.shareOf(this.config.SUPPLIER_MAX_IN_FLIGHT);
  }

  /** The suppliers that this process has called or is calling. */
  supplierStates(): SupplierView[] {
    const tripped = this.breaker.tripped();
    const running = this.work.runningByPartition();
    const ids = [...new Set([...this.pace.suppliers(), ...tripped.keys(), ...running.keys()])].sort((a, b) => a - b);
    return ids.map((supplierId) => ({
      supplierId,
      breaker: tripped.get(supplierId) ?? 'closed',
      inFlight: running.get(supplierId) ?? 0,
    }));
  }

  /** Claims nothing more and waits for the calls in flight. */
  async drain(): Promise<void> {
    this.breaker.close();
    await this.work.drain();
    await this.settlements.drain();
  }

  private async claim(request: ClaimRequest): Promise<ClaimedUnit[]> {
    const clockLimit = this.heartbeat.clockLimit(2 * this.config.SUPPLIER_QUIET_PERIOD_MS);
    const units = await this.units.claim(request, clockLimit, (supplierId) => this.shares.placeAt(supplierId));
    if (units.length > 0) failpoint('unit.claimed');
    for (const unit of units) {
      this.pace.update(unit);
      this.shares.note(unit);
    }
    const forReview = units.filter(({ action }) => action === 'review');
    if (forReview.length > 0) await this.recorder.recordReviews(forReview);
    // The units that went to review used up slots of this claim, so claim again.
    this.work.wake(forReview.map(({ supplier_id }) => supplier_id));
    return units.filter(({ action }) => action !== 'review');
  }

  private async run(unit: ClaimedUnit, leaseEndMs: number, freeSlot: () => void): Promise<void> {
    const call = await this.caller.call(unit, leaseEndMs);
    if (!call.wasNotCalled) this.noteHealth(call);
    // A definite outcome frees the slot before it is recorded. Other outcomes may pause the supplier when they are recorded, and
    // claims at a supplier with its own limit count the unit until its outcome is recorded.
    if (isDefinite(call.outcome) && unit.max_in_flight === null) freeSlot();
    const isDueAgain = await this.recorder.record(call, leaseEndMs);
    // At a supplier with its own limit, claims may get fewer units than are due while other workers use the limit. So claim again.
    if (isDueAgain || unit.max_in_flight !== null) this.work.wake([unit.supplier_id]);
  }

  private noteHealth({ unit, outcome }: EndedCall): void {
    this.breaker.note({ id: unit.supplier_id, code: unit.supplier }, outcome.kind);
    this.pace.note(unit.supplier_id, outcome, this.usualSlots);
  }
}
