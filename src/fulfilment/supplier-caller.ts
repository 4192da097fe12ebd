import { Injectable } from '@nestjs/common';
import { failpoint } from '../core/failpoints.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import type { Attempt } from '../suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { SupplierRegistry, type SupplierConnection } from '../suppliers/supplier-registry.js';
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
    };
    this.observer.answered(call);
    return call;
  }

  private async ask(unit: ClaimedUnit): Promise<SupplierOutcome> {
    let supplier: SupplierConnection;
    try {
      supplier = this.registry.connect(unit);
    } catch (error) {
      const detail = (error as Error).message;
      return unit.action === 'send' ? { kind: 'not_accepted', detail } : { kind: 'unknown', detail };
    }
    const { adapter, settings } = supplier;
    const attempt = toAttempt(unit);
    if (unit.action === 'send') return adapter.send(settings, attempt);
    return adapter.inquiry?.ask(settings, attempt) ?? { kind: 'unknown', detail: 'cannot be asked' };
  }
}

const toAttempt = (unit: ClaimedUnit): Attempt => ({
  reference: unit.reference,
  sku: unit.supplier_sku,
  userId: unit.user_id,
  serverId: unit.server_id,
  characterId: unit.character_id,
  playerTemplate: null,
  maxCost: null,
  supplierReference: null,
  isRepeat: unit.action !== 'send' || unit.sends > 1,
});
