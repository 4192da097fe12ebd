import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { DAY_MS } from '../core/durations.js';
import { WorkerTask } from '../core/worker-task.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { isAboutAnother, isDefinite, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../orders/codes/delivered.js';
import { inquiryAbout } from '../suppliers/supplier-adapter.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { AttemptAnswersService } from './attempt-answers.service.js';
import { AttemptLogService } from './attempt-log.service.js';
import { AttemptChecksRepository, type DueCheck } from './attempt-checks.repository.js';
import { CallbackCodesService } from './callback-codes.service.js';
import { ownReference, requestOf } from './attempt-request.js';

/**
 * The shortest delay before the next query, if the supplier did not answer, its answer decided nothing, or the code of a sale
 * has not come yet. A purchase in progress decides nothing: an attempt that was refused may still be bought.
 */
const RETRY_MS = 600_000;

/** After this time the supplier will not say more, and neither queries nor the archive of old orders may wait for ever. */
const MAX_AGE_MS = 30 * DAY_MS;

/**
 * Queries suppliers about attempts that have ended. A check follows a callback that decided nothing: the supplier may have taken
 * a success back, or sold a purchase that it had refused. Both are discrepancies. A check also follows repeated sends of an
 * attempt, if its supplier may sell each send, and a report of a late or second sale without its code.
 */
@Injectable()
export class AttemptChecksService {
  constructor(
    private readonly checks: AttemptChecksRepository,
    private readonly registry: SupplierRegistry,
    private readonly answers: AttemptAnswersService,
    private readonly codes: CallbackCodesService,
    private readonly heartbeat: WorkerHeartbeatService,
    private readonly log: AttemptLogService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @WorkerTask('attempt_checks', {
    every: 1_000,
    failed: 'checks of ended attempts failed',
  })
  async checkAllDue(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.checkDue()));
  }

  /** Makes one due check. @returns whether there was one. */
  async checkDue(): Promise<boolean> {
    const due = await this.checks.claimDue(RETRY_MS, this.config.SUPPLIER_QUIET_PERIOD_MS, MAX_AGE_MS);
    if (!due) return false;
    const startedAtMs = performance.now();
    const deduplicates = this.registry.deduplicates(due.adapter);
    const supplierReference = ownReference(due, { isGivenUp: due.is_given_up, deduplicates });
    const outcome = await this.inquire(due, supplierReference);
    const key = { orderId: due.order_id, item: due.item, unit: due.unit };
    if (isAboutAnother(outcome)) {
      if (await this.answers.reportSurplus(due, outcome))
        this.log.contradicted({ ...due, supplier: due.code }, outcome);
      const isCodeMissing = lacksCode(due.kind, { kind: 'succeeded', ...outcome.besides });
      if (isCodeMissing && (await this.checks.lacksCode(due, outcome.besides.supplierReference))) return this.goOn(due);
    } else if (!isDefinite(outcome) && outcome.kind !== 'never_seen' && !isMisnamed(due, outcome))
      return this.goOn(due);
    if (isDefinite(outcome)) {
      const settled = await this.answers.settle({
        key,
        merchantId: due.merchant_id,
        kind: due.kind,
        by: { kind: 'report', attempt: due.attempt },
        outcome,
        // The attempt has ended, so no further check follows.
        sent: { adapter: due.adapter, times: 1, knownAs: supplierReference, isInquiry: true },
        calls: [this.toCall(due, outcome, performance.now() - startedAtMs)],
      });
      if (settled === 'reversal') this.log.contradicted({ ...due, supplier: due.code }, outcome);
      if (lacksCode(due.kind, outcome) && (await this.checks.lacksCode(due))) return this.goOn(due);
    }
    if (!this.mayBeSoldAgain(due)) await this.checks.end(due);
    return true;
  }

  /** Leaves the check to its next time, or ends it if it has gone on for too long. */
  private async goOn(due: DueCheck): Promise<true> {
    if (due.is_last) {
      await this.checks.end(due);
      this.log.leftUndecided({ ...due, supplier: due.code });
    }
    return true;
  }

  /** A callback may make a check due before the last send has surely arrived. Then the check must be made once more. */
  private mayBeSoldAgain({ may_arrive: mayArrive, adapter }: DueCheck): boolean {
    return mayArrive && this.registry.find(adapter)?.deduplicates === false;
  }

  private async inquire(due: DueCheck, supplierReference: string | null): Promise<SupplierOutcome> {
    const connection = this.registry.tryConnect(due);
    if ('known' in connection) return { kind: 'unknown', detail: connection.detail };
    const { supplier_sku: sku, reference } = due;
    const named = { sku, reference, supplierReference };
    const inquiry = inquiryAbout(connection.adapter, supplierReference !== null);
    if (!inquiry) return { kind: 'never_seen' };
    if (!inquiry.mayBuy) {
      const outcome = await inquiry.query(connection.settings, named);
      // Without its code, a late sale is queried again.
      return this.codes.complete(due, outcome, connection.adapter).catch(() => outcome);
    }
    // This inquiry sends the attempt again. It could buy a second time, unless the supplier remembers that it sold the attempt.
    const sold = inquiry.remembersSales ? await this.checks.findSold(due, inquiry.maxAgeMs) : null;
    if (!sold) return { kind: 'never_seen' };
    return inquiry.query(connection.settings, { ...named, ...requestOf(sold), isRepeat: true });
  }

  private toCall(unit: DueCheck, outcome: SupplierOutcome, durationMs: number) {
    return { unit, kind: 'inquiry' as const, outcome, durationMs, process: this.heartbeat.name };
  }
}

/** Whether the stored reference of the supplier is unproven and names another purchase, so that no query can use it. */
const isMisnamed = (due: DueCheck, outcome: SupplierOutcome): boolean =>
  due.is_hearsay && outcome.kind === 'unknown' && outcome.isMisnamed === true;
