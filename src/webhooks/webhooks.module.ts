import { Module } from '@nestjs/common';
import { resolveHost } from '../core/safe-http/resolve.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { UnitDeliveriesModule } from '../orders/codes/unit-deliveries.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryBodiesService } from './delivery-bodies.service.js';
import { DeliveryObserver } from './delivery.observer.js';
import { WaitingDeliveriesService } from './waiting-deliveries.service.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookReplayService } from './webhook-replay.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { RESOLVE, WebhookDestinationsService } from './webhook-destinations.service.js';
import { AttemptTiming, WebhookSender } from './webhook-sender.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [UnitDeliveriesModule],
  providers: [
    { provide: RESOLVE, useValue: resolveHost },
    AttemptTiming,
    WebhookDestinationsService,
    WebhooksRepository,
    DeliveriesRepository,
    DispatchRepository,
    DeliveryBodiesService,
    WaitingDeliveriesService,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookReplayService,
    WebhookSender,
    AttemptRecorder,
    DeliveryObserver,
  ],
  exports: [
    WaitingDeliveriesService,
    DeliveriesRepository,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookReplayService,
    AttemptTiming,
    WebhookSender,
    AttemptRecorder,
    DispatchRepository,
    DeliveryBodiesService,
    DeliveryObserver,
  ],
})
export class WebhooksModule {}
