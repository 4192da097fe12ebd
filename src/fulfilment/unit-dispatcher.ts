import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { AppError } from '../core/errors.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { SecretBox } from '../core/secret-box.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { writtenAtLast } from '../database/while-away.js';
import { WorkerPresence } from '../database/worker-presence.js';
import { unitReference } from '../orders/order.rows.js';
import { OrderSettlement, type UnitResult } from '../orders/order-settlement.js';
import { recordSupplierCalls, type SupplierCall } from '../orders/supplier-calls.js';
import { WakeUps } from '../queues/wake-ups.js';
import { WorkLanes } from '../queues/work-lanes.js';
import { inquiryDelayMs, resendDelayMs } from './backoff.js';
import { CallReport, kindOf } from './call-report.js';
import { HttpSupplier } from './http-supplier.js';
import { SupplierBreaker } from './supplier-breaker.js';
import { outcomeDetail, type Outcome, type SupplierAdapter } from './supplier-adapter.js';
import {
  CLAIM_UNITS,
  FIND_OVERDUE,
  POSTPONE_UNITS,
  RELEASE_UNITS,
  type ClaimedUnit,
  type PostponedUnit,
} from './units.sql.js';

/** How much longer than the supplier's timeout a claim holds: time to record what came of the call. */
const LEASE_MARGIN_MS = 3_000;
const MAX_IN_FLIGHT = 1_000;

type Postponement = Extract<Outcome, { kind: 'not_accepted' | 'never_seen' | 'processing' | 'unknown' }>;

interface PostponeUnit {
  unit: ClaimedUnit;
  outcome: Postponement;
  adapter: SupplierAdapter;
  calls: SupplierCall[];
}

type Task = ClaimedUnit & { claimedAtMs: number };

/**
 * Buys units: claims due ones (the intent is committed), calls the supplier with no transaction open, and records what
 * came of it. PostgreSQL decides who may send; nothing here re-runs a purchase (contract, section 8).
 */
@Injectable()
export class UnitDispatcher {
  private readonly adapters: Record<ClaimedUnit['adapter'], SupplierAdapter>;
  private readonly lanes: WorkLanes<Task>;
  private readonly report: CallReport;
  private readonly breaker = new SupplierBreaker({
    onResume: (supplierId) => this.wake([supplierId]),
    onChange: ({ code }, pausedMs) => this.report.paused(code, pausedMs),
  });

  private readonly postponements = new GroupCommit<PostponeUnit, void>({
    commit: async (commands) => {
      const postponed = await this.database.transaction((tx) => this.postponeBatch(tx, commands));
      failpoint('unit.postponed');
      for (const unit of postponed) this.followUp(unit, commands);
      return commands.map(() => succeeded(undefined));
    },
    onBatch: (waitedMs) => this.metrics.batches.postponement(waitedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly settlement: OrderSettlement,
    private readonly wakeUps: WakeUps,
    private readonly secretBox: SecretBox,
    private readonly presence: WorkerPresence,
    httpSupplier: HttpSupplier,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.report = new CallReport(logger, metrics);
    this.adapters = { http: httpSupplier };
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
    const suppliers = await this.database.query<{ id: number }>(FIND_OVERDUE);
    this.wake(suppliers.map(({ id }) => id));
  }

  /** Takes over what workers had claimed that are gone. */
  async releaseClaimsOf(workers: string[]): Promise<void> {
    await this.database.query(RELEASE_UNITS, [workers]);
  }

  /** Claims nothing more and waits for the calls in flight. */
  drain(): Promise<void> {
    this.breaker.close();
    return this.lanes.drain();
  }

  private async claim(room: Map<number, number>, total: number): Promise<Task[]> {
    const claimedAtMs = performance.now();
    const values = [[...room.keys()], [...room.values()], total, this.presence.name, LEASE_MARGIN_MS];
    const units = await this.database.query<ClaimedUnit>(CLAIM_UNITS, values);
    if (units.length > 0) failpoint('unit.claimed');
    return units.map((unit) => ({ ...unit, claimedAtMs }));
  }

  private async run(task: Task): Promise<void> {
    // A process that was stopped for longer than its lease no longer owns the unit.
    if (performance.now() - task.claimedAtMs > LEASE_MARGIN_MS) return this.report.tooLate(task);
    this.report.calling(task);
    const startedAtMs = performance.now();
    const adapter = this.adapters[task.adapter];
    failpoint('supplier.calling');
    const outcome = await this.call(adapter, task);
    failpoint('supplier.answered');
    this.breaker.note({ id: task.supplier_id, code: task.supplier }, outcome.kind);
    const durationMs = performance.now() - startedAtMs;
    const calls = [this.toCall(task, outcome, durationMs)];
    if (task.interrupted) calls.unshift(interruptedCall(task, this.presence.name));
    this.report.answered(task, outcome, durationMs);
    await writtenAtLast(
      () =>
        outcome.kind === 'succeeded' || outcome.kind === 'failed'
          ? this.settle(task, adapter, toResult(outcome), calls)
          : this.postponements.submit({ unit: task, outcome, adapter, calls }),
      // Past its lease the unit is inquired about, by whoever claims it then.
      task.claimedAtMs + task.timeout_ms + LEASE_MARGIN_MS,
      (error) => error instanceof AppError,
    );
  }

  /** An answer that can't be recorded leaves the unit in doubt: it is inquired about, and reviewed at last. */
  private async settle(
    task: Task,
    adapter: SupplierAdapter,
    result: UnitResult,
    calls: SupplierCall[],
  ): Promise<void> {
    try {
      const settled = await this.settlement.settle({ key: keyOf(task), result, calls });
      if (settled) this.report.settled(task, result.state);
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.report.notSettled(task, error);
      const outcome: Postponement = { kind: 'unknown', detail: 'the answer could not be recorded' };
      await this.postponements.submit({ unit: task, outcome, adapter, calls: [] });
    }
  }

  private async call(adapter: SupplierAdapter, task: Task): Promise<Outcome> {
    const reference = unitReference(task.order_number, task);
    let token: string | null;
    try {
      token = task.token_sealed && this.secretBox.open(task.token_sealed);
    } catch (error) {
      const detail = (error as Error).message;
      return task.action === 'send' ? { kind: 'not_accepted', detail } : { kind: 'unknown', detail };
    }
    const supplier = { baseUrl: task.base_url, token, timeoutMs: task.timeout_ms };
    if (task.action === 'inquire') {
      return adapter.inquire
        ? adapter.inquire(supplier, reference)
        : { kind: 'unknown', detail: 'cannot be asked' };
    }
    return adapter.send(supplier, {
      reference,
      sku: task.supplier_sku,
      userId: task.user_id,
      serverId: task.server_id,
      characterId: task.character_id,
    });
  }

  private postponeBatch(tx: Transaction, commands: PostponeUnit[]): Promise<PostponedUnit[]> {
    const units = commands.map(({ unit }) => unit);
    const postponed = tx.query<PostponedUnit>(POSTPONE_UNITS, [
      units.map(({ order_id }) => order_id),
      units.map(({ item }) => item),
      units.map(({ unit }) => unit),
      units.map(({ claim }) => claim),
      commands.map(({ outcome }) => outcome.kind),
      commands.map(delayMs),
      commands.map(({ adapter }) => adapter.deduplicates),
      commands.map(({ adapter }) => adapter.inquire !== null),
      this.config.SUPPLIER_QUIET_PERIOD_MS,
      this.config.SUPPLIER_REVIEW_AFTER_MS,
    ]);
    recordSupplierCalls(tx, commands.flatMap(({ calls }) => calls)); // prettier-ignore
    return postponed;
  }

  private followUp({ supplier_id, due_in_ms, ...key }: PostponedUnit, commands: PostponeUnit[]): void {
    if (due_in_ms === null) {
      const command = commands.find(({ unit }) => isUnit(unit, key));
      if (command) this.report.needsReview(command.unit);
    } else if (due_in_ms === 0) {
      this.wake([supplier_id]);
    } else {
      this.wakeUps.fulfilment([supplier_id], due_in_ms);
    }
  }

  private toCall(task: Task, outcome: Outcome, durationMs: number): SupplierCall {
    return {
      key: keyOf(task),
      kind: kindOf(task),
      outcome: outcome.kind,
      detail: outcomeDetail(outcome),
      durationMs,
      process: this.presence.name,
    };
  }
}

type UnitColumns = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit'>;

const isUnit = (one: UnitColumns, other: UnitColumns): boolean =>
  one.order_id === other.order_id && one.item === other.item && one.unit === other.unit;

const keyOf = ({ order_id, item, unit }: ClaimedUnit): SupplierCall['key'] => ({
  orderId: order_id,
  item,
  unit,
});

function toResult(outcome: Extract<Outcome, { kind: 'succeeded' | 'failed' }>): UnitResult {
  if (outcome.kind === 'failed') return { state: 'failed', code: outcome.code, message: outcome.message };
  return { state: 'succeeded', supplierReference: outcome.supplierReference };
}

/** The send of the claim before, which its process did not live to record. */
const interruptedCall = (task: Task, process: string): SupplierCall => ({
  key: keyOf(task),
  kind: 'send',
  outcome: 'interrupted',
  detail: 'the process that sent it did not record an answer',
  durationMs: 0,
  process,
});

function delayMs({ unit, outcome }: PostponeUnit): number {
  const usual = outcome.kind === 'not_accepted' ? resendDelayMs(unit.sends) : inquiryDelayMs(unit.inquiries);
  const asked = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
  return Math.round(outcome.kind === 'not_accepted' ? (asked ?? usual) : Math.max(asked ?? 0, usual));
}
