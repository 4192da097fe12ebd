import { Inject, Injectable } from '@nestjs/common';
import { ListingsRepository } from '../catalog/listings.repository.js';
import { LOGGER } from '../core/core.module.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { Database } from '../database/database.js';
import { GroupCommit, type LockWait, type BatchResult } from '../database/group-commit.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { WalletsRepository } from '../wallet/wallets.repository.js';
import type { PlaceOrder } from './order-content.js';
import { OrdersRepository } from './orders.repository.js';
import { PlacementBatch, type Placed } from './placement-batch.js';
import { isBalanceRefusal } from './placement-rules.js';

/** One statement writes this many units in some tens of milliseconds. */
const MAX_UNITS_PER_BATCH = 2_000;
/** How long an order may wait for its batch. After that it is refused and not placed, and the merchant may try again. */
const MAX_WAIT_MS = 5_000;
/** The maximum time to an answer: merchants' HTTP clients commonly give up after 10 s. */
const ANSWER_WITHIN_MS = 8_000;

/**
 * Places orders in batches. A batch checks its orders under the wallets' locks, first come, first served, and writes all admitted
 * orders with one statement. A refused order does not affect the other orders of its batch.
 */
@Injectable()
export class OrderPlacementService {
  private readonly writer = new GroupCommit<PlaceOrder, Placed>({
    commit: (commands, wait) => this.commit(commands, wait),
    keyOf: ({ merchantId }) => merchantId,
    weightOf: ({ content }) => content.lines.reduce((units, { quantity }) => units + quantity, 0),
    maxWeight: MAX_UNITS_PER_BATCH,
    maxWaitMs: MAX_WAIT_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    onBatch: (waitedMs) => this.metrics.batches.placement(waitedMs),
    onSetAside: (merchantId) =>
      this.logger.warn({ merchantId }, 'another transaction keeps a wallet locked: its orders wait'),
  });

  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
    private readonly listings: ListingsRepository,
    private readonly wallets: WalletsRepository,
    private readonly notifier: WorkNotifier,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Charges and records an order in one transaction, and resolves after the commit.
   * @throws DUPLICATE_REFERENCE; BAD_REQUEST (product rules, or the total exceeds `maxTotal`); SERVICE_UNAVAILABLE (the balance
   * is too low, or the database is away or slow). With a slow database the order may be placed all the same.
   */
  place(command: PlaceOrder): Promise<Placed> {
    return this.writer.submit(command);
  }

  private async commit(commands: PlaceOrder[], wait: LockWait): Promise<BatchResult<Placed>[]> {
    const { orders, listings, wallets } = this;
    const suppliers = new Set<number>();
    const { outcomes, webhooks } = await this.database.transaction(async (tx) => {
      const batch = await PlacementBatch.open({ orders, listings, wallets }, tx, commands, wait);
      const results = commands.map((command) => batch.admit(command));
      const webhooksToNotify = batch.write(tx);
      batch.collectSuppliers(suppliers);
      return { outcomes: results, webhooks: webhooksToNotify };
    });
    failpoint('order.committed');
    this.notifier.notifyFulfilment(suppliers);
    this.notifier.notifyWebhooks(await webhooks);
    this.measure(commands, outcomes);
    return outcomes;
  }

  /** Counts orders, except those of sandbox merchants. */
  private measure(commands: PlaceOrder[], outcomes: BatchResult<Placed>[]): void {
    const counted = outcomes.filter((_, index) => commands[index]?.sandbox === false);
    const placed = counted.filter((each) => each.ok === true && !each.value.replayed);
    this.metrics.ordersPlaced(placed.length);
    this.metrics.walletRefused(counted.filter((each) => !each.ok && isBalanceRefusal(each.error)).length);
  }
}
