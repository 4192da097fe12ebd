import { Inject, Injectable } from '@nestjs/common';
import type { ProductKind } from '../core/product-kind.js';
import { Database, type Transaction } from '../database/database.js';
import { OrderSettlementService, type Settled } from '../orders/order-settlement.service.js';
import type { UnitKey } from '../orders/order.rows.js';
import type { SupplierCall } from '../orders/supplier-calls.js';
import { CONFIG, type Config } from '../core/config.js';
import { SettlementRepository } from '../orders/settlement.repository.js';
import { toBesidesRow } from '../orders/settle-unit.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { costColumns, type AboutAnother, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../orders/codes/delivered.js';
import { UnitDeliveriesService } from '../orders/codes/unit-deliveries.service.js';
import { AttemptChecksRepository } from './attempt-checks.repository.js';
import { AttemptsRepository, type NextAttempt } from './attempts.repository.js';
import { FailoverService } from './failover.service.js';

/** What a supplier said for good about an attempt. */
export interface DecidedAttempt {
  key: UnitKey;
  merchantId: number;
  /** What the unit is. */
  kind: ProductKind;
  attempt: number;
  /** The claim whose call was answered; null where the supplier called us. */
  claim: number | null;
  outcome: DefiniteOutcome;
  /**
   * The adapter of its supplier, and how often the unit was sent; absent where a success needs no other look. `knownAs` is
   * what its supplier has called the attempt so far; absent where what it calls it now is kept already.
   */
  sent?: { adapter: string; times: number; knownAs?: string | null };
  /** Whether it came before, as a callback that is sent again. */
  isRepeated?: boolean;
  /** For the timeline. */
  calls: SupplierCall[];
}

/** The one way in which a supplier's definite word about an attempt takes effect, however it reached us. */
@Injectable()
export class AttemptAnswersService {
  constructor(
    private readonly settlement: OrderSettlementService,
    private readonly attempts: AttemptsRepository,
    private readonly next: FailoverService,
    private readonly deliveries: UnitDeliveriesService,
    private readonly checks: AttemptChecksRepository,
    private readonly settlementRepository: SettlementRepository,
    private readonly registry: SupplierRegistry,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Settles the unit, or after a refusal goes on with another attempt. A word about an attempt that was followed by
   * another one settles nothing: what it bought is a case for the operator. Neither does a success that lacks its code.
   * To be done again when it throws SERVICE_UNAVAILABLE or a timeout of PostgreSQL.
   */
  async settle(decided: DecidedAttempt): Promise<Settled | NextAttempt> {
    const { key, kind, attempt, claim, outcome, calls } = decided;
    if (outcome.kind === 'succeeded') {
      const delivered = this.deliveries.seal({ order_id: key.orderId, item: key.item, unit: key.unit }, kind, outcome);
      const handedOver = { delivered, lacksCode: lacksCode(kind, outcome) };
      return this.settlement.settle({ ...decided, ...handedOver, ...this.alongside(decided) });
    }
    if (outcome.isPriceRefused) await this.attempts.rereadProduct(key, attempt);
    const next = await this.goOn(decided);
    if (next) return next;
    const reported = await this.next.mostTelling(key, attempt, outcome);
    return this.settlement.settle({ ...decided, outcome: { ...outcome, ...reported }, claim, calls });
  }

  /**
   * A supplier sold something under the attempt's reference besides the purchase that we know there: a case for the
   * operator, however the unit stands. @returns whether that is new.
   */
  async tellOfAnother(key: UnitKey, attempt: number, outcome: AboutAnother): Promise<boolean> {
    const row = toBesidesRow(key, attempt, outcome);
    const [judged] = await this.settlementRepository.judgeUnsettled(this.database, [row]);
    return judged?.is_new_reversal === true;
  }

  private async goOn({ key, attempt, claim, outcome, calls }: DecidedAttempt): Promise<NextAttempt | null> {
    if (outcome.kind !== 'failed' || !(outcome.failover || outcome.retryAfterMs)) return null;
    return this.next.begin({ key, attempt, claim, refusal: outcome, calls });
  }

  /** What the transaction that settles a bought unit writes besides: the attempt's cost and name, and that it is asked about again. */
  private alongside(decided: DecidedAttempt): { alongside?: (tx: Transaction) => void } {
    const { key, attempt, outcome } = decided;
    const { orderId: order_id, item, unit } = key;
    const about = { order_id, item, unit, attempt };
    const cost = costColumns(outcome);
    const checkAfterMs = this.checkAfterMs(decided);
    const supplier_reference = this.newNameOf(decided);
    const isNew = cost.cost_micros !== null || supplier_reference !== null;
    if (!isNew && checkAfterMs === null) return {};
    const reported = { ...cost, supplier_reference, is_hearsay: false, is_misnamed: false, unconfirmed: null };
    return {
      alongside: (tx) => {
        if (isNew) this.attempts.note(tx, [{ ...about, ...reported }]);
        if (checkAfterMs !== null) this.checks.askIn(tx, about, checkAfterMs);
      },
    };
  }

  /** What its supplier may call us about it by, and has not said before; null where it calls nobody. */
  private newNameOf({ outcome, sent }: DecidedAttempt): string | null {
    if (outcome.kind !== 'succeeded' || !sent || sent.knownAs === undefined) return null;
    const isNew = outcome.supplierReference !== sent.knownAs;
    return isNew && this.registry.find(sent.adapter)?.callbacks ? outcome.supplierReference : null;
  }

  /** Once nothing that was sent can be on its way any more; null where a supplier sells nothing twice. */
  private checkAfterMs({ sent }: DecidedAttempt): number | null {
    const adapter = sent && sent.times > 1 ? this.registry.find(sent.adapter) : undefined;
    return !adapter || adapter.deduplicates || adapter.inquiry?.mayBuy !== false
      ? null
      : this.config.SUPPLIER_QUIET_PERIOD_MS;
  }
}
