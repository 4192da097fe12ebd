import { Module } from '@nestjs/common';
import { resolveHost } from '../core/safe-http/resolve.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { UnitDeliveriesModule } from '../orders/codes/unit-deliveries.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryBodies } from './delivery-bodies.js';
import { DeliveryObserver } from './delivery-observer.js';
import { WaitingDeliveries } from './waiting-deliveries.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookReplay } from './webhook-replay.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { RESOLVE, WebhookDestinations } from './webhook-destinations.js';
import { AttemptTiming, WebhookSender } from './webhook-sender.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [UnitDeliveriesModule],
  providers: [
    { provide: RESOLVE, useValue: resolveHost },
    AttemptTiming,
    WebhookDestinations,
    WebhooksRepository,
    DeliveriesRepository,
    DispatchRepository,
    DeliveryBodies,
    WaitingDeliveries,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookReplay,
    WebhookSender,
    AttemptRecorder,
    DeliveryObserver,
  ],
  exports: [
    WaitingDeliveries,
    DeliveriesRepository,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookReplay,
    AttemptTiming,
    WebhookSender,
    AttemptRecorder,
    DispatchRepository,
    DeliveryBodies,
    DeliveryObserver,
  ],
})
export class WebhooksModule {}
