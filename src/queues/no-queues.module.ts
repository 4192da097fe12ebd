import { Global, Module } from '@nestjs/common';
import { WorkNotifier } from './work-notifier.js';

/** Notifies nobody: command line and console do without Redis, and a worker's sweeper finds new work within 2 seconds. */
class NoNotifier implements WorkNotifier {
  notifyFulfilment(): void {}

  notifyWebhooks(): void {}
}

/** Takes the place of the queues where there is no connection to Redis. */
@Global()
@Module({ providers: [{ provide: WorkNotifier, useClass: NoNotifier }], exports: [WorkNotifier] })
export class NoQueuesModule {}
