import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { HOUR_MS } from '../../core/durations.js';
import { AppError } from '../../core/errors.js';
import { WindowStore } from '../../core/http/window-store.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { SecretBox } from '../../core/secret-box.js';
import { storable } from '../../core/text.js';
import { ProductReadsService } from '../../catalog/product-reads.service.js';
import { AttemptChecksRepository } from '../attempt-checks.repository.js';
import { aboutAttempt } from '../attempt-log.service.js';
import { ownReference } from '../attempt-request.js';
import { AttemptsRepository } from '../attempts.repository.js';
import { isTerminalUnit } from '../../orders/states.js';
import { UnknownPurchasesRepository } from '../reconciliation/unknown-purchases.repository.js';
import { WorkNotifier } from '../../queues/work-notifier.js';
import { callbackBodyPlace } from './supplier-callback.entity.js';
import { NO_CALLBACKS, unreadableBy } from '../../suppliers/adapter-answers.js';
import { inquiryAbout, type BuyingInquiry, type Inquiry } from '../../suppliers/supplier-adapter.js';
import type { CallbackReading, CallbackReply, RawCallback } from '../../suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../../suppliers/supplier-outcome.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import type { CallingSupplier } from '../../suppliers/suppliers.repository.js';
import { CallbackAnswersService, isGivenUp } from './callback-answers.service.js';
import type { CallbackVerdict, SupplierCallback } from './supplier-callback.entity.js';
import { SupplierCallbacksRepository, type FoundAttempt, type PurchaseNames } from './supplier-callbacks.repository.js';
import { reportedPurchase } from './reported-purchase.js';

const MAX_NAME_LENGTH = 255;
const MAX_DETAIL_LENGTH = 500;
/** Callbacks about one attempt within this time share one check. The adapter may set a longer gap. */
const MIN_CHECK_GAP_MS = 1_000;

/**
 * Once a supplier has this many discrepancies within an hour, its callbacks without proof open no more, because the callback
 * address may have leaked. The service still stores these callbacks.
 */
const MAX_DISCREPANCIES_PER_HOUR = 10_000;

const OK: CallbackReply = { status: 200, contentType: 'application/json', body: '{"status":"ok"}' };

/** The names and details in a callback, in a form that can be stored. */
interface CallbackTexts extends PurchaseNames {
  deliveryId: string | null;
  detail: string | null;
}

interface Result {
  verdict: CallbackVerdict;
  attempt: FoundAttempt | null;
  /** The discrepancy that the callback opened. */
  reversalId?: number | undefined;
}

type About = Extract<CallbackReading, { kind: 'about' }>;

/** Reads, applies and stores callbacks of suppliers. */
@Injectable()
export class SupplierCallbacksService {
  private readonly overLimit = new WindowStore(HOUR_MS);

  constructor(
    private readonly callbacks: SupplierCallbacksRepository,
    private readonly attempts: AttemptsRepository,
    private readonly registry: SupplierRegistry,
    private readonly checks: AttemptChecksRepository,
    private readonly products: ProductReadsService,
    private readonly answers: CallbackAnswersService,
    private readonly unknownPurchases: UnknownPurchasesRepository,
    private readonly secretBox: SecretBox,
    private readonly notifier: WorkNotifier,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @returns the answer to the supplier, once the callback is stored.
   * @throws UNAUTHORIZED if the callback does not prove that it comes from the supplier; SERVICE_UNAVAILABLE if it could not be
   * stored or applied: the supplier may then repeat it.
   */
  async receive(supplier: CallingSupplier, raw: RawCallback, remoteAddress: string): Promise<CallbackReply> {
    const reading = this.read(supplier, raw);
    const texts = textsOf(reading);
    if (reading.kind === 'products') await this.products.mark(supplier.id, reading.skus);
    const result: Result =
      reading.kind === 'about' ? await this.apply(supplier, reading, texts) : { verdict: reading.kind, attempt: null };
    const { verdict, attempt } = result;
    const about = { supplier_id: supplier.id, ...keyOf(attempt) };
    const id = await this.callbacks.record({
      ...about,
      remote_address: remoteAddress,
      verdict,
      delivery_id: texts.deliveryId,
      reference: texts.reference,
      supplier_reference: texts.supplierReference,
      detail: texts.detail,
      // Anybody may have sent a refused callback, so its body is never stored.
      body_sealed: verdict === 'refused' ? null : this.secretBox.sealBytes(contentOf(raw), callbackBodyPlace(about)),
    });
    this.report(supplier, result, texts, id);
    return replyTo(reading);
  }

  private read(supplier: CallingSupplier, raw: RawCallback): CallbackReading {
    try {
      const { adapter, settings } = this.registry.connect(supplier);
      return adapter.callbacks?.read(raw, settings) ?? NO_CALLBACKS;
    } catch (error) {
      return unreadableBy(error);
    }
  }

  private async apply(supplier: CallingSupplier, reading: About, texts: CallbackTexts): Promise<Result> {
    const { deliveryId, supplierReference } = texts;
    const [attempt, isRepeated] = await Promise.all([
      isChanged(reading, texts) ? null : this.callbacks.findAttempt(supplier.id, texts),
      deliveryId === null ? false : this.callbacks.hasDelivery(supplier.id, deliveryId),
    ]);
    if (!attempt) {
      const reversalId = await this.reportUnknown(supplier, reading, texts);
      return { verdict: isRepeated ? 'repeated' : 'unknown_reference', attempt, reversalId };
    }
    const outcome = outcomeOf(reading, attempt, this.registry.deduplicates(supplier.adapter));
    const hasSupplierReference = await this.storeSupplierReference(supplier, attempt, texts, outcome);
    const applied = outcome
      ? await this.answers.apply(supplier, attempt, outcome, supplierReference, isRepeated)
      : 'undecided';
    if (outcome && provesPurchase(outcome) && isOpen(attempt))
      await this.markInDoubt(supplier, attempt, hasSupplierReference);
    const needsInquiry = applied === 'undecided' || applied === 'unrecorded';
    const result = needsInquiry ? await this.wake(supplier, attempt, hasSupplierReference, reading) : applied;
    if (result === null && applied === 'unrecorded') throw mustBeRepeated();
    const verdict = result ?? 'nothing_new';
    const changesNothing = verdict === 'woke' || verdict === 'nothing_new';
    return { verdict: isRepeated && changesNothing ? 'repeated' : verdict, attempt };
  }

  /**
   * Opens a discrepancy for a purchase that our books do not know. Purchases can be missing after a restore, or after
   * PostgreSQL moved to a standby that lacked the last commits. A callback that proves nothing and has no reference of
   * ours opens no discrepancy: it may be about an attempt whose supplier's reference we do not know yet.
   */
  private async reportUnknown(
    supplier: CallingSupplier,
    reading: About,
    texts: CallbackTexts,
  ): Promise<number | undefined> {
    if (texts.reference === null && !reading.outcome) return undefined;
    const purchase = reportedPurchase(reading, texts);
    const maxAnHour = reading.outcome ? null : MAX_DISCREPANCIES_PER_HOUR;
    const reported = await this.unknownPurchases.reportUpTo(maxAnHour, supplier.id, purchase ? [purchase] : []);
    if (reported.overLimit > 0) this.reportOverLimit(supplier.code);
    return reported.opened[0];
  }

  /** Logs at most one line an hour. */
  private reportOverLimit(supplier: string): void {
    this.metrics.unknownPurchaseWithheld(supplier);
    if (this.overLimit.increment(supplier).totalHits > 1) return;
    const about = { supplier, discrepanciesAnHour: MAX_DISCREPANCIES_PER_HOUR };
    this.logger.warn(about, 'callbacks that prove nothing report too many purchases: they open no more discrepancies');
  }

  /**
   * Stores the supplier's reference of an open attempt that has none. A callback without an outcome proves nothing, so its
   * reference is stored as unproven until the supplier confirms it. If the supplier may sell each send, a refused purchase may not
   * be the one that the unit gets, so its reference is not stored.
   * @returns whether the attempt has a supplier's reference.
   */
  private async storeSupplierReference(
    { adapter }: CallingSupplier,
    attempt: FoundAttempt,
    { supplierReference }: CallbackTexts,
    outcome: SupplierOutcome | undefined,
  ): Promise<boolean> {
    if (attempt.supplier_reference !== null) return true;
    if (supplierReference === null || !isOpen(attempt)) return false;
    if (outcome?.kind === 'failed' && !this.registry.deduplicates(adapter)) return false;
    await this.attempts.storeSupplierReference(attempt, supplierReference, outcome === undefined);
    return true;
  }

  /** Makes workers inquire about an attempt instead of sending it again, because the supplier has the purchase. */
  private async markInDoubt(
    supplier: CallingSupplier,
    attempt: FoundAttempt,
    hasSupplierReference: boolean,
  ): Promise<void> {
    const adapter = this.registry.find(supplier.adapter);
    const inquiry = adapter && inquiryAbout(adapter, hasSupplierReference);
    const dueInMs = inquiry ? await this.callbacks.markInDoubt(attempt, inquiry.minGapMs) : null;
    if (dueInMs !== null) this.notifier.notifyFulfilment([supplier.id], dueInMs);
  }

  /** Whether the supplier has certainly sold the attempt, so that sending it again as an inquiry buys nothing. */
  private async isSold(attempt: FoundAttempt, { remembersSales, maxAgeMs }: BuyingInquiry): Promise<boolean> {
    const mayBeSold = remembersSales && attempt.state === 'succeeded';
    return mayBeSold === true && (await this.checks.findSold(attempt, maxAgeMs)) !== null;
  }

  /**
   * Schedules an inquiry about an open attempt, or a check of an ended attempt: the supplier may have taken a success back, or
   * sold a purchase that had failed. If inquiries send the attempt again, only an attempt that was certainly sold is checked,
   * because only then the inquiry buys nothing. If the callback itself reports the sale, such a check is not needed.
   *
   * A call in flight may be answered as if there were no callback, and that answer may end the attempt. So the callback also
   * schedules a check, which waits until the attempt has ended. It schedules none if inquiries may buy.
   * @returns null if no inquiry is possible, or no check is made.
   */
  private async wake(
    supplier: CallingSupplier,
    attempt: FoundAttempt,
    hasSupplierReference: boolean,
    { saysSold }: About,
  ): Promise<'woke' | null> {
    const adapter = this.registry.find(supplier.adapter);
    const inquiry = adapter && inquiryAbout(adapter, hasSupplierReference);
    if (!inquiry) return null;
    if (!isOpen(attempt)) {
      if (inquiry.mayBuy && (saysSold || !(await this.isSold(attempt, inquiry)))) return null;
      await this.scheduleCheck(attempt, inquiry);
      return 'woke';
    }
    const woken = await this.callbacks.wake(attempt, inquiry.minGapMs);
    if (woken.due_in_ms !== null) this.notifier.notifyFulfilment([supplier.id], woken.due_in_ms);
    if (!woken.awaits_inquiry && !inquiry.mayBuy) await this.scheduleCheck(attempt, inquiry);
    return 'woke';
  }

  private scheduleCheck(attempt: FoundAttempt, { minGapMs }: Pick<Inquiry, 'minGapMs'>): Promise<void> {
    return this.checks.schedule(attempt, Math.max(minGapMs, MIN_CHECK_GAP_MS));
  }

  private report(
    { code }: CallingSupplier,
    { verdict, attempt, reversalId }: Result,
    { detail }: CallbackTexts,
    id: bigint | undefined,
  ): void {
    this.metrics.supplierCalledBack(code, verdict);
    const about = {
      // Logs only our own values, because the values in the callback may be anything.
      ...(attempt ? aboutAttempt({ ...attempt, supplier: code }) : { supplier: code }),
      verdict,
      callbackId: id === undefined ? undefined : Number(id),
      reversalId,
    };
    const isWrong = verdict === 'refused' || verdict === 'unreadable';
    if (isWrong) this.logger.warn({ ...about, detail }, 'supplier callback received');
    else if (reversalId !== undefined) this.logger.warn(about, 'supplier callback received');
    else this.logger.info(about, 'supplier callback received');
  }
}

function textsOf(reading: CallbackReading): CallbackTexts {
  const { deliveryId, reference, supplierReference } = reading.kind === 'about' ? reading : ({} as Partial<About>);
  return {
    deliveryId: nameOf(deliveryId),
    reference: nameOf(reference),
    supplierReference: nameOf(supplierReference),
    detail: 'detail' in reading ? storable(reading.detail, MAX_DETAIL_LENGTH) : null,
  };
}

function outcomeOf({ outcome }: About, attempt: FoundAttempt, deduplicates: boolean): SupplierOutcome | undefined {
  if (typeof outcome !== 'function') return outcome;
  const { supplier_sku: sku, reference } = attempt;
  const hasNoPurchase = isGivenUp(attempt) && attempt.state !== 'succeeded';
  const supplierReference = ownReference(attempt, { isGivenUp: hasNoPurchase, deduplicates });
  return outcome({ sku, reference, supplierReference });
}

/** The supplier must repeat the callback, because no inquiry can replace it. */
const mustBeRepeated = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The callback could not be stored, please send it again', {
    retryAfterSeconds: 1,
  });

const nameOf = (text: string | undefined): string | null =>
  text === undefined ? null : storable(text, MAX_NAME_LENGTH) || null;

/** Whether a reference in the callback cannot be stored unchanged. Then no attempt has that reference. */
const isChanged = (reading: About, { reference, supplierReference }: CallbackTexts): boolean =>
  (reading.reference ?? null) !== reference || (reading.supplierReference ?? null) !== supplierReference;

/** Whether a proven outcome shows that the supplier has received the purchase: it is made, in progress, or unclear. */
const provesPurchase = ({ kind }: SupplierOutcome): boolean =>
  kind === 'succeeded' || kind === 'processing' || kind === 'unknown';

const isOpen = ({ attempt, latest_attempt: latest, state }: FoundAttempt): boolean =>
  attempt === latest && !isTerminalUnit(state);

const keyOf = (attempt: FoundAttempt | null): Pick<SupplierCallback, 'order_id' | 'item' | 'unit' | 'attempt'> => ({
  order_id: attempt?.order_id ?? null,
  item: attempt?.item ?? null,
  unit: attempt?.unit ?? null,
  attempt: attempt?.attempt ?? null,
});

/** The content to store: the body, or the query if the body is empty. */
const contentOf = ({ body, query }: RawCallback): Buffer =>
  body.length > 0 ? body : Buffer.from(new URLSearchParams(query).toString());

function replyTo({ kind, reply }: CallbackReading): CallbackReply {
  if (reply) return reply;
  if (kind === 'refused') throw new AppError('UNAUTHORIZED', 'The signature of the callback is wrong or missing');
  return OK;
}
