import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { ATTEMPT_RESULTS, Metrics, type AttemptResult } from '../core/metrics.js';
import { WorkLog } from '../queues/work-observer.js';
import type { ClaimedDelivery, RecordedAttempt } from './dispatch.repository.js';
import type { AttemptOutcome } from './webhook-sender.js';

/** Logs and counts what happens to deliveries. */
@Injectable()
export class DeliveryObserver extends WorkLog<ClaimedDelivery> {
  /** Webhooks whose secrets could not be opened at the last attempt. */
  private readonly unreadable = new Set<number>();

  constructor(
    @Inject(LOGGER) logger: Logger,
    private readonly metrics: Metrics,
  ) {
    super('webhooks', logger);
  }

  attempted(delivery: ClaimedDelivery, outcome: AttemptOutcome): void {
    const { status, error, durationMs } = outcome;
    this.metrics.webhookAttempted(resultOf(outcome), durationMs / 1000);
    this.logger.debug({ status, error, durationMs, ...this.about(delivery) }, 'a delivery attempt ended');
  }

  /** Logs one line for each delivery that has ended. @param outcome of the last attempt, if there was one. */
  ended(delivery: ClaimedDelivery, status: RecordedAttempt['status'], outcome?: AttemptOutcome): void {
    if (status === 'pending') return;
    const about = { result: outcome?.status ?? outcome?.error ?? null, ...this.about(delivery) };
    if (status === 'succeeded') this.logger.info(about, 'webhook delivered');
    else this.logger.info(about, status === 'failed' ? 'webhook failed for good' : 'webhook cancelled');
  }

  interrupted(recorded: RecordedAttempt[]): void {
    if (recorded.length > 0) this.logger.warn({ attempts: recorded.length }, 'delivery attempts were interrupted');
    for (const { id, webhook_id: webhookId, status, attempt_count: attempts } of recorded) {
      this.metrics.webhookAttempted('interrupted', null);
      if (status === 'failed')
        this.logger.info({ webhookId, deliveryId: String(id), attempts }, 'webhook failed for good');
    }
  }

  secretsOpened(webhookId: number): void {
    this.unreadable.delete(webhookId);
  }

  /** Logs this error once for a webhook, until its secrets can be opened again. */
  secretsUnreadable(webhookId: number, reason: string): void {
    if (!this.unreadable.has(webhookId))
      this.logger.error({ webhookId, reason }, 'a webhook secret can’t be opened: its deliveries wait');
    this.unreadable.add(webhookId);
  }

  /** The codes and serial numbers of the order cannot be read or opened. */
  bodyUnreadable(delivery: ClaimedDelivery, reason: string): void {
    this.logger.error(
      { ...this.about(delivery), reason },
      'the codes of an order cannot be read or opened: the delivery waits',
    );
  }

  protected about(delivery: ClaimedDelivery): object {
    return {
      requestId: delivery.request_id ?? undefined,
      orderNumber: delivery.order_number ?? undefined,
      webhookId: delivery.webhook_id,
      deliveryId: String(delivery.id),
      eventId: delivery.event_id,
      attempt: delivery.attempt_count,
    };
  }
}

/** The result for the metrics. An unknown status counts as a breach of the protocol. */
function resultOf({ status, error }: AttemptOutcome): AttemptResult {
  if (status === null) return error ?? 'protocol';
  const family = `${Math.floor(status / 100)}xx`;
  return ATTEMPT_RESULTS.find((result) => result === family) ?? 'protocol';
}
