import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { Database } from '../database/database.js';
import { GroupCommit, locked } from '../database/group-commit.js';
import { UnitDeliveriesRepository } from './codes/unit-deliveries.repository.js';
import { WalletsRepository } from '../wallet/wallets.repository.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { SettlementRepository } from './settlement.repository.js';
import { settleBatch, type EndedOrder, type Repositories, type SettleResult } from './settle-batch.js';
import type { SettleUnit } from './settle-unit.js';

export type { SettleResult, SettleUnit };

/** How long a command may wait for its batch. After that it fails, and its caller retries. */
const MAX_WAIT_MS = 10_000;

/**
 * Settles units in batches. The last unit of an item ends the item, and the last item ends the order. The transaction that ends
 * the order also moves its money, and records the event with its webhook deliveries.
 */
@Injectable()
export class OrderSettlementService {
  private readonly writer = new GroupCommit<SettleUnit, SettleResult>({
    commit: async (commands, wait) => {
      const { outcomes, ended, webhooks } = await this.database.transaction((tx) =>
        settleBatch(this.repositories, tx, commands, wait),
      );
      if (ended.length > 0) failpoint('order.ended');
      this.notifier.notifyWebhooks(await webhooks);
      for (const order of ended) this.report(order);
      return commands.map((command) => outcomes.get(command) ?? locked);
    },
    keyOf: ({ merchantId }) => merchantId,
    maxWaitMs: MAX_WAIT_MS,
    onBatch: (waitedMs) => this.metrics.batches.settlement(waitedMs),
    onSetAside: (merchantId) =>
      this.logger.warn({ merchantId }, 'another transaction keeps a wallet or an order locked: its orders wait'),
  });

  private readonly repositories: Repositories;

  constructor(
    private readonly database: Database,
    settlement: SettlementRepository,
    wallets: WalletsRepository,
    deliveries: UnitDeliveriesRepository,
    private readonly notifier: WorkNotifier,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.repositories = { settlement, wallets, deliveries };
  }

  /**
   * Settles a unit. Callers must retry after SERVICE_UNAVAILABLE or a timeout of PostgreSQL.
   * @returns whether this command settled the unit, and the reason if it did not.
   */
  settle(command: SettleUnit): Promise<SettleResult> {
    return this.writer.submit(command);
  }

  private report({ outcome, ...order }: EndedOrder): void {
    const durationMs = order.updated_at.getTime() - order.created_at.getTime();
    if (!order.sandbox) this.metrics.orderEnded(outcome.status, durationMs / 1000);
    const about = {
      requestId: order.request_id ?? undefined,
      orderNumber: order.order_number,
      merchantId: order.merchant_id,
      referenceId: order.reference_id,
      durationMs,
    };
    if (outcome.status === 'completed') this.logger.info(about, 'order completed');
    else this.logger.info({ ...about, failureCode: outcome.failureCode }, 'order failed');
  }
}
