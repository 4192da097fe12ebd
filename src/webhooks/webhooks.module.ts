import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { resolveHost } from '../core/safe-http/resolve.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { WaitingDeliveries } from './waiting-deliveries.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { RESOLVE, WebhookDestinations } from './webhook-destinations.js';
import { Webhook } from './webhook.entity.js';
import { AttemptTiming, WebhookSender } from './webhook-sender.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Webhook])],
  providers: [
    { provide: RESOLVE, useValue: resolveHost },
    AttemptTiming,
    WebhookDestinations,
    WaitingDeliveries,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookSender,
    AttemptRecorder,
  ],
  exports: [
    WaitingDeliveries,
    WebhooksService,
    WebhookDeliveriesService,
    AttemptTiming,
    WebhookSender,
    AttemptRecorder,
  ],
})
export class WebhooksModule {}
