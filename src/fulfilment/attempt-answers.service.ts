import { Inject, Injectable } from '@nestjs/common';
import type { ProductKind } from '../core/product-kind.js';
import { Database, type Transaction } from '../database/database.js';
import { OrderSettlementService, type SettleResult } from '../orders/order-settlement.service.js';
import type { UnitKey } from '../orders/order.rows.js';
import { type CallRecord, SettlementRepository } from '../orders/settlement.repository.js';
import { CONFIG, type Config } from '../core/config.js';
import { isAboutOneSend, toBesidesRow, type SupplierSource } from '../orders/settle-unit.js';
import { queriedAs } from '../suppliers/supplier-adapter.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { costColumns, type AboutAnother, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../orders/codes/delivered.js';
import { UnitDeliveriesRepository } from '../orders/codes/unit-deliveries.repository.js';
import { UnitDeliveriesService } from '../orders/codes/unit-deliveries.service.js';
import { AttemptChecksRepository } from './attempt-checks.repository.js';
import { AttemptsRepository, type NextAttempt } from './attempts.repository.js';
import { FailoverService } from './failover.service.js';

/** A supplier's definite outcome of an attempt. */
interface DecidedAttempt {
  key: UnitKey;
  merchantId: number;
  kind: ProductKind;
  by: SupplierSource;
  outcome: DefiniteOutcome;
  /**
   * The adapter of the attempt's supplier, and how often the unit was sent. `knownAs` is the supplier's reference that the attempt
   * had before. `knownAs` is absent if the reference in `outcome` is already stored. `isInquiry` is set if an inquiry that never
   * buys brought the outcome.
   */
  sent: { adapter: string; times: number; knownAs?: string | null; isInquiry?: boolean };
  /** Whether the supplier has already reported the same outcome, as in a callback that it sends again. */
  isRepeated?: boolean;
  /** For the order history. */
  calls: CallRecord[];
}

interface FurtherWrites {
  alsoWrite?: (tx: Transaction) => void;
}

/** Applies suppliers' definite outcomes to attempts, whether an answer, a callback or a check reported them. */
@Injectable()
export class AttemptAnswersService {
  constructor(
    private readonly settlement: OrderSettlementService,
    private readonly attempts: AttemptsRepository,
    private readonly failover: FailoverService,
    private readonly deliveries: UnitDeliveriesService,
    private readonly deliveriesRepository: UnitDeliveriesRepository,
    private readonly checks: AttemptChecksRepository,
    private readonly settlementRepository: SettlementRepository,
    private readonly registry: SupplierRegistry,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Settles the unit, or begins another attempt after a refusal. An outcome of an attempt that is not the latest one settles
   * nothing: if that attempt bought the unit, the purchase becomes a discrepancy. A success without its code settles nothing
   * either.
   * After SERVICE_UNAVAILABLE or a timeout of PostgreSQL, callers must retry, or query the supplier again.
   */
  async settle(reported: DecidedAttempt): Promise<SettleResult | NextAttempt> {
    const by = { ...reported.by, isAboutOneSend: !this.registry.deduplicates(reported.sent.adapter) };
    const decided: DecidedAttempt = { ...reported, by };
    const { key, kind, outcome } = decided;
    if (outcome.kind === 'succeeded') {
      const unit = { order_id: key.orderId, item: key.item, unit: key.unit };
      const delivered = this.deliveries.seal(unit, kind, outcome.deliveries);
      const handedOver = { delivered, lacksCode: lacksCode(kind, outcome) };
      const queriedAs = this.queriedAs(decided);
      return this.settlement.settle({ ...decided, ...handedOver, queriedAs, ...this.furtherWrites(decided) });
    }
    if (outcome.isPriceRefused) await this.attempts.rereadProduct(key, by.attempt);
    const writes = this.furtherWrites(decided);
    const next = await this.failOver(decided, writes);
    if (next) return next;
    const failure = await this.failover.mostHelpful(key, by.attempt, outcome);
    return this.settlement.settle({ ...decided, outcome: { ...outcome, ...failure }, ...writes });
  }

  /**
   * Records a discrepancy, in any state of the unit: besides the purchase that we know, the supplier sold another one under the
   * attempt's reference. If an operator has settled the unit with that one, stores its deliveries for the merchant.
   * @returns whether the discrepancy is new.
   */
  async reportSurplus(
    unit: Parameters<typeof toBesidesRow>[0] & Pick<DecidedAttempt, 'kind'>,
    outcome: AboutAnother,
  ): Promise<boolean> {
    const sealed = this.deliveries.seal(unit, unit.kind, outcome.besides.deliveries);
    const row = toBesidesRow(unit, outcome, sealed);
    const [judged] = await this.database.transaction((tx) => {
      const judging = this.settlementRepository.judgeReports(tx, [row]);
      if (sealed) this.deliveriesRepository.store(tx, [{ ...row, queried_as: null, is_other: true, sealed }]);
      return judging;
    });
    return judged?.changes_discrepancy === true;
  }

  private async failOver(
    { key, by, outcome, calls }: DecidedAttempt,
    writes: FurtherWrites,
  ): Promise<NextAttempt | null> {
    if (outcome.kind !== 'failed' || !(outcome.failover || outcome.retryAfterMs)) return null;
    const claim = by.kind === 'call' ? by.claim : null;
    const refused = { claim, isAboutOneSend: isAboutOneSend(by), refusal: outcome };
    return this.failover.begin({ key, attempt: by.attempt, ...refused, calls, ...writes });
  }

  /** Writes the attempt's cost and supplier's reference, and schedules a check, in the transaction that ends the attempt. */
  private furtherWrites(decided: DecidedAttempt): FurtherWrites {
    const { key, by, outcome } = decided;
    const { orderId: order_id, item, unit } = key;
    const about = { order_id, item, unit, attempt: by.attempt };
    const cost = costColumns(outcome);
    const checkAfterMs = this.checkAfterMs(decided);
    const supplier_reference = this.newReferenceOf(decided);
    const isNew = cost.cost_micros !== null || supplier_reference !== null;
    if (!isNew && checkAfterMs === null) return {};
    const reported = { ...cost, supplier_reference, is_hearsay: false, is_misnamed: false, unconfirmed: null };
    return {
      alsoWrite: (tx) => {
        if (isNew) this.attempts.note(tx, [{ ...about, ...reported }]);
        if (checkAfterMs !== null) this.checks.scheduleIn(tx, about, checkAfterMs);
      },
    };
  }

  /**
   * The supplier's reference, if it is new and callbacks may name the purchase by it; otherwise null. The answer to an inquiry by the
   * supplier's reference proves that reference, even if the answer contains a different one. Later inquiries need the proven one.
   */
  private newReferenceOf(decided: DecidedAttempt): string | null {
    const { outcome, sent } = decided;
    if (outcome.kind !== 'succeeded' || sent.knownAs === undefined) return null;
    if (!this.registry.find(sent.adapter)?.callbacks) return null;
    const queriedAs = this.queriedAs(decided);
    if (queriedAs !== null) return queriedAs;
    return outcome.supplierReference === sent.knownAs ? null : outcome.supplierReference;
  }

  /** The supplier's reference by which the inquiry named the purchase; null if it was no such inquiry. */
  private queriedAs({ sent: { adapter, knownAs = null, isInquiry = false } }: DecidedAttempt): string | null {
    const found = isInquiry ? this.registry.find(adapter) : undefined;
    return found ? queriedAs(found, knownAs) : null;
  }

  /**
   * When to check for another purchase: once the last send has surely arrived. After a refusal, another send may be bought after
   * all. Null if the unit was sent once, the supplier never sells twice under one reference, or has no inquiry that never buys.
   */
  private checkAfterMs({ sent }: DecidedAttempt): number | null {
    const adapter = sent.times > 1 ? this.registry.find(sent.adapter) : undefined;
    return !adapter || adapter.deduplicates || adapter.inquiry?.mayBuy !== false
      ? null
      : this.config.SUPPLIER_QUIET_PERIOD_MS;
  }
}
