import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { WEBHOOKS_QUEUE, type WakeUpJob } from '../queues/queues.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';

/** Passes wake-ups to the dispatcher. A job contains no work, so a lost or repeated job does no harm. */
@Processor(WEBHOOKS_QUEUE)
export class WebhooksProcessor {
  constructor(private readonly dispatcher: WebhookDispatcher) {}

  @Process({ concurrency: 10 })
  wake(job: Job<WakeUpJob>): void {
    this.dispatcher.work.wake(job.data.ids);
  }
}
