import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { FULFILMENT_QUEUE, type WakeUpJob } from '../queues/queues.js';
import { UnitDispatcher } from './unit-dispatcher.js';

/** Passes wake-ups to the dispatcher. A job contains no work, so a lost or repeated job does no harm. */
@Processor(FULFILMENT_QUEUE)
export class FulfilmentProcessor {
  constructor(private readonly dispatcher: UnitDispatcher) {}

  @Process({ concurrency: 10 })
  wake(job: Job<WakeUpJob>): void {
    this.dispatcher.work.wake(job.data.ids);
  }
}
