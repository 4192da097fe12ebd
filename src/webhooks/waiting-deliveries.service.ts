import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { DeliveriesRepository, type Step } from './deliveries.repository.js';

const BATCH = 5_000;
/** The request that changed a webhook adapts deliveries itself for this time, which is enough if few are waiting. */
const FIRST_STEPS_MS = 2_000;

/**
 * Adapts waiting deliveries to a change of their webhook: cancels them if the webhook is inactive or deleted, and moves
 * automatic retries to the new `retry_delay`. Test events stay while the webhook is inactive. The work has small steps,
 * so that orders that end at the same time never wait long. The change of the webhook also sets its column
 * `waiting_is_stale`, which is cleared after the last step. If the request crashes or runs out of time, workers take
 * the remaining steps.
 */
@Injectable()
export class WaitingDeliveriesService {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Takes the first steps. Never rejects: workers take the remaining steps. @returns whether all steps are done. */
  async begin(webhookId: number): Promise<boolean> {
    const untilMs = performance.now() + FIRST_STEPS_MS;
    return this.adapt(webhookId, () => performance.now() < untilMs);
  }

  /** Takes the remaining steps of all webhooks. @param stop ends the task between two steps. */
  @WorkerTask('webhook_changes', { every: 2_000, failed: 'sweep for changed webhooks failed' })
  async carryOn(stop: AbortSignal): Promise<void> {
    for (const { id } of await this.deliveries.listStale()) {
      if (stop.aborted) return;
      await this.adapt(id, () => !stop.aborted);
    }
  }

  private async adapt(webhookId: number, mayGoOn: () => boolean): Promise<boolean> {
    try {
      return await this.takeSteps(webhookId, mayGoOn);
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.warn({ webhookId, reason }, 'waiting deliveries are not adapted to their webhook yet: retrying');
      return false;
    }
  }

  private async takeSteps(webhookId: number, mayGoOn: () => boolean): Promise<boolean> {
    let last: Step | undefined;
    while (!last || mayGoOn()) {
      const step = await this.deliveries.adaptToWebhook(webhookId, last, BATCH);
      if (!step) return true;
      if (last && last.changed_at.getTime() !== step.changed_at.getTime()) {
        // The webhook has changed again, so the deliveries of earlier steps have its old settings. The next step is the
        // first one again.
        last = { ...step, last_kind: null, last_id: null };
      } else if (step.seen < BATCH) {
        if (await this.deliveries.finishAdapting(webhookId, step.changed_at)) return true;
        last = undefined;
      } else {
        last = step;
      }
    }
    return false;
  }
}
