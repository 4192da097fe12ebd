import { Module } from '@nestjs/common';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhooksModule } from './webhooks.module.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** Delivers webhooks. Only workers may import it: every process that provides the processor consumes the queue. */
@Module({ imports: [WebhooksModule], providers: [WebhookDispatcher, WebhooksProcessor] })
export class WebhookDispatchModule {}
