import { Injectable } from '@nestjs/common';
import type { CostMoney } from '../core/cost-money.js';
import { failpoint } from '../core/failpoints.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import type { Attempt } from '../suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { SupplierRegistry, type SupplierConnection } from '../suppliers/supplier-registry.js';
import { FIRST_INQUIRY_MS } from './backoff.js';
import { UnitObserver } from './unit-observer.js';
import type { EndedCall } from './ended-call.js';
import type { ClaimedUnit } from './units.repository.js';

/** Calls the suppliers of claimed units, each once. No transaction is open meanwhile. */
@Injectable()
export class SupplierCaller {
  constructor(
    private readonly registry: SupplierRegistry,
    private readonly heartbeat: WorkerHeartbeat,
    private readonly observer: UnitObserver,
  ) {}

  /** Sends a unit, or asks what became of it, as its claim says. Never rejects. */
  async call(unit: ClaimedUnit): Promise<EndedCall> {
    const adapter = this.registry.find(unit.adapter);
    this.observer.calling(unit);
    const startedAtMs = performance.now();
    failpoint('supplier.calling');
    const outcome = await this.ask(unit);
    failpoint('supplier.answered');
    const call: EndedCall = {
      unit,
      kind: unit.action === 'send' ? 'send' : 'inquiry',
      outcome,
      durationMs: performance.now() - startedAtMs,
      process: this.heartbeat.name,
      deduplicates: adapter?.deduplicates ?? false,
      // An adapter of another version is known to other workers.
      canBeAsked: adapter === undefined || adapter.inquiry !== null,
      firstMs: adapter?.inquiry?.firstMs ?? FIRST_INQUIRY_MS,
      minGapMs: adapter?.inquiry?.minGapMs ?? 0,
    };
    this.observer.answered(call);
    return call;
  }

  private async ask(unit: ClaimedUnit): Promise<SupplierOutcome> {
    let supplier: SupplierConnection;
    try {
      supplier = this.registry.connect({ ...unit, code: unit.supplier });
    } catch (error) {
      const detail = (error as Error).message;
      return unit.is_repeat ? { kind: 'unknown', detail } : { kind: 'not_accepted', detail };
    }
    const { settings } = supplier;
    const { inquiry } = supplier.adapter;
    const attempt = toAttempt(unit);
    const isInquiry = unit.action === 'inquire' || (unit.is_repeat && inquiry?.mayBuy);
    if (!isInquiry) return supplier.adapter.send(settings, attempt);
    return inquiry?.ask(settings, attempt) ?? { kind: 'unknown', detail: 'cannot be asked' };
  }
}

const toAttempt = (unit: ClaimedUnit): Attempt => ({
  reference: unit.reference,
  sku: unit.supplier_sku,
  userId: unit.user_id,
  serverId: unit.server_id,
  characterId: unit.character_id,
  playerTemplate: unit.player_template,
  maxCost: maxCostOf(unit),
  supplierReference: unit.supplier_reference,
  isRepeat: unit.is_repeat,
});

const maxCostOf = ({ max_cost_micros: micros, cost_currency: currency }: ClaimedUnit): CostMoney | null =>
  micros === null || currency === null ? null : { micros, currency };
