import { Module } from '@nestjs/common';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhooksModule } from './webhooks.module.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** What delivers webhooks. For workers only: the queue's processor consumes in whatever process provides it. */
@Module({ imports: [WebhooksModule], providers: [WebhookDispatcher, WebhooksProcessor] })
export class WebhookDispatchModule {}
