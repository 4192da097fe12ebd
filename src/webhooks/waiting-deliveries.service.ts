import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { DeliveriesRepository, type Step } from './deliveries.repository.js';

const BATCH = 5_000;
/** A request takes the first steps by itself, so that few deliveries have followed when it is answered. */
const FIRST_STEPS_MS = 2_000;

/**
 * Makes deliveries that wait for an attempt follow a change of their webhook: they are cancelled when it is inactive or
 * deleted by now, and automatic retries are moved to its present `retry_delay`. They may be very many, so it is done in
 * small steps, and no order that ends at the same time waits for a long one. The change itself marks the webhook; the
 * mark goes when all have followed, and until then a worker takes the steps that a request or a crash left over.
 */
@Injectable()
export class WaitingDeliveriesService {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Takes the first steps. @returns whether they were the last, too; never fails: the worker goes on. */
  async begin(webhookId: number): Promise<boolean> {
    const untilMs = performance.now() + FIRST_STEPS_MS;
    return this.follow(webhookId, () => performance.now() < untilMs);
  }

  /** Takes the steps that are left over, of all webhooks. @param stop ends it between two steps. */
  @WorkerTask('webhook_changes', { every: 2_000, failed: 'sweep for changed webhooks failed' })
  async carryOn(stop: AbortSignal): Promise<void> {
    for (const { id } of await this.deliveries.listStale()) {
      if (stop.aborted) return;
      await this.follow(id, () => !stop.aborted);
    }
  }

  private async follow(webhookId: number, mayGoOn: () => boolean): Promise<boolean> {
    try {
      return await this.takeSteps(webhookId, mayGoOn);
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.warn({ webhookId, reason }, 'waiting deliveries do not follow their webhook yet: retrying');
      return false;
    }
  }

  private async takeSteps(webhookId: number, mayGoOn: () => boolean): Promise<boolean> {
    let last: Step | undefined;
    while (!last || mayGoOn()) {
      const step = await this.deliveries.followWebhook(webhookId, last, BATCH);
      if (!step) return true;
      if (last && last.changed_at.getTime() !== step.changed_at.getTime()) {
        // The webhook has changed again: those behind followed what it was before.
        last = { ...step, last_kind: null, last_id: null };
      } else if (step.seen < BATCH) {
        if (await this.deliveries.finishFollowing(webhookId, step.changed_at)) return true;
        last = undefined;
      } else {
        last = step;
      }
    }
    return false;
  }
}
