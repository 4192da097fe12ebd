import { Module } from '@nestjs/common';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import { WebhookDeskRepository } from './webhook-desk.repository.js';
import { WebhookListingService } from './webhook-listing.service.js';
import { WebhooksModule } from './webhooks.module.js';

/** Webhooks of all merchants. */
@Module({
  imports: [NoQueuesModule, WebhooksModule],
  providers: [WebhookDeskRepository, WebhookListingService],
  exports: [WebhooksModule, WebhookListingService],
})
export class WebhookDeskModule {}
