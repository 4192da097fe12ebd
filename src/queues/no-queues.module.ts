import { Global, Module } from '@nestjs/common';
import { WorkNotifier } from './work-notifier.js';

/** Sends no wake-ups, because command line and console work without Redis. Sweepers find the work within 2 seconds. */
class NoNotifier implements WorkNotifier {
  notifyFulfilment(): void {}

  notifyWebhooks(): void {}
}

/** Replaces `QueuesModule` in processes without Redis. */
@Global()
@Module({ providers: [{ provide: WorkNotifier, useClass: NoNotifier }], exports: [WorkNotifier] })
export class NoQueuesModule {}
