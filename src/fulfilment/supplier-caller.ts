import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { failpoint } from '../core/failpoints.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { inquiryAbout, queriedAs } from '../suppliers/supplier-adapter.js';
import type { Attempt, Inquiry, SupplierAdapter } from '../suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { SupplierRegistry, type SupplierConnection } from '../suppliers/supplier-registry.js';
import { safeQuietPeriodMs } from '../suppliers/supplier-timing.js';
import { requestOf } from './attempt-request.js';
import { AttemptsRepository } from './attempts.repository.js';
import { FIRST_INQUIRY_MS } from './backoff.js';
import { CallbackCodesService } from './callback-codes.service.js';
import { UnitObserver } from './unit.observer.js';
import type { EndedCall } from './ended-call.js';
import type { ClaimedUnit } from './units.repository.js';

/** The delay before a worker checks again whether the offer of a unit is on. */
const OFF_FOR_MS = 15_000;

/** Makes one call for each claimed unit, with no transaction open. */
@Injectable()
export class SupplierCaller {
  constructor(
    private readonly registry: SupplierRegistry,
    private readonly heartbeat: WorkerHeartbeatService,
    private readonly codes: CallbackCodesService,
    private readonly attempts: AttemptsRepository,
    private readonly observer: UnitObserver,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Sends or inquires, according to the claim. Never rejects.
   * @param leaseEndMs the end of the claim's lease, in monotonic milliseconds.
   */
  async call(unit: ClaimedUnit, leaseEndMs: number): Promise<EndedCall> {
    const adapter = this.registry.find(unit.adapter);
    this.observer.calling(unit);
    const startedAtMs = performance.now();
    failpoint('supplier.calling');
    const notSent = await this.whyNotSent(unit, leaseEndMs);
    const outcome = notSent ?? (await this.sendOrInquire(unit));
    failpoint('supplier.answered');
    const hasSupplierReference =
      unit.supplier_reference !== null || ('supplierReference' in outcome && !!outcome.supplierReference);
    const inquiry = adapter && inquiryAbout(adapter, hasSupplierReference);
    const call: EndedCall = {
      unit,
      kind: unit.action === 'send' ? 'send' : 'inquiry',
      outcome,
      ...(notSent && { wasNotCalled: true }),
      startedAtMs,
      durationMs: performance.now() - startedAtMs,
      queriedAs: adapter && unit.action !== 'send' ? queriedAs(adapter, unit.supplier_reference) : null,
      process: this.heartbeat.name,
      mayResend: adapter !== undefined && mayResend(adapter),
      deduplicates: adapter?.deduplicates === true,
      // `inquiry` is undefined if this version lacks the adapter. Then workers of another version can inquire.
      canInquire: inquiry !== null,
      ...this.timingOf(inquiry ?? undefined, unit),
    };
    this.observer.answered(call);
    return call;
  }

  /**
   * The outcome of a unit that must not be sent now, because its offer is off or this query took too long; otherwise
   * null. The unit's first send needs no query, because the offer was on when the order was placed. An attempt in doubt
   * must be resolved even if its offer is off. After a slow query, the send could reach the supplier after the end of
   * the lease.
   */
  private async whyNotSent(unit: ClaimedUnit, leaseEndMs: number): Promise<SupplierOutcome | null> {
    if (unit.action !== 'send' || unit.is_repeat || unit.sends === 1) return null;
    const offMs = await this.attempts.findOfferOffMs(unit).catch(() => null);
    if (offMs !== null) return OFFER_OFF;
    return performance.now() + unit.timeout_ms > leaseEndMs ? TOO_LATE : null;
  }

  private async sendOrInquire(unit: ClaimedUnit): Promise<SupplierOutcome> {
    let supplier: SupplierConnection;
    try {
      supplier = this.registry.connect({ code: unit.supplier, ...unit });
    } catch (error) {
      const detail = (error as Error).message;
      return unit.is_repeat ? { kind: 'unknown', detail } : { kind: 'not_accepted', detail };
    }
    const { settings } = supplier;
    const attempt = toAttempt(unit);
    // Under a claim for a send, an inquiry is one that may buy, never one by the supplier's reference.
    const isSend = unit.action === 'send';
    const inquiry = inquiryAbout(supplier.adapter, !isSend && unit.supplier_reference !== null);
    const isInquiry = !isSend || (unit.is_repeat && inquiry?.mayBuy);
    if (!isInquiry) return supplier.adapter.send(settings, attempt);
    if (!inquiry) return { kind: 'unknown', detail: 'the supplier answers no inquiries' };
    return this.withCode(unit, await inquiry.query(settings, attempt), supplier.adapter);
  }

  private async withCode(
    unit: ClaimedUnit,
    outcome: SupplierOutcome,
    adapter: SupplierAdapter,
  ): Promise<SupplierOutcome> {
    try {
      return await this.codes.complete(unit, outcome, adapter);
    } catch {
      // Without its code the success settles nothing, so another inquiry follows.
      return outcome;
    }
  }

  /** An inquiry that may buy is itself a send, so it waits until the last send has surely arrived. */
  private timingOf(inquiry: Inquiry | undefined, { timeout_ms }: ClaimedUnit): Pick<EndedCall, 'firstMs' | 'minGapMs'> {
    const { firstMs = FIRST_INQUIRY_MS, minGapMs = 0, mayBuy = false } = inquiry ?? {};
    if (!mayBuy) return { firstMs, minGapMs };
    const quietMs = safeQuietPeriodMs(this.config.SUPPLIER_QUIET_PERIOD_MS, timeout_ms);
    return { firstMs, minGapMs: Math.max(minGapMs, quietMs) };
  }
}

const OFFER_OFF: SupplierOutcome = {
  kind: 'not_accepted',
  fault: 'configuration',
  detail: 'not sent: its offer is off',
  retryAfterMs: OFF_FOR_MS,
};

const TOO_LATE: SupplierOutcome = {
  kind: 'not_accepted',
  detail: 'not sent: it took too long to read whether its offer is on',
};

const mayResend = ({ deduplicates, inquiry }: SupplierAdapter): boolean =>
  deduplicates || (inquiry?.mayBuy === false && inquiry.isNotFoundCertain === true);

const toAttempt = (unit: ClaimedUnit): Attempt => ({
  reference: unit.reference,
  sku: unit.supplier_sku,
  ...requestOf(unit),
  supplierReference: unit.supplier_reference,
  isRepeat: unit.is_repeat,
  ...sandboxPurchase(unit),
});

function sandboxPurchase({ kind, user_id, sandbox_unit: unitNumber, age_ms }: ClaimedUnit): Pick<Attempt, 'sandbox'> {
  return unitNumber === null ? {} : { sandbox: { kind, userId: user_id, unitNumber, ageMs: age_ms } };
}
