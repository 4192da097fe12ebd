import { Global, Module } from '@nestjs/common';
import { WakeUps } from '../queues/wake-ups.js';

/** Wakes nobody: the command line does without Redis, and a worker's reconciler finds new work within 2 seconds. */
class NoWakeUps implements Pick<WakeUps, 'fulfilment' | 'webhooks'> {
  fulfilment(): void {}

  webhooks(): void {}
}

/** Takes the place of the queues where there is no connection to Redis. */
@Global()
@Module({ providers: [{ provide: WakeUps, useClass: NoWakeUps }], exports: [WakeUps] })
export class NoQueuesModule {}
