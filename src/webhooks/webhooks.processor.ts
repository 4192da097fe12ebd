import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { WEBHOOKS_QUEUE, type WakeUpJob } from '../queues/queues.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';

/** Passes wake-ups on. A job ends at once: it carries no work, so nothing is lost with it and nothing runs twice. */
@Processor(WEBHOOKS_QUEUE)
export class WebhooksProcessor {
  constructor(private readonly dispatcher: WebhookDispatcher) {}

  @Process({ concurrency: 10 })
  wake(job: Job<WakeUpJob>): void {
    this.dispatcher.work.wake(job.data.ids);
  }
}
