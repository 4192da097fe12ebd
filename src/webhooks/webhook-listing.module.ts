import { Module } from '@nestjs/common';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import { WebhookListingRepository } from './webhook-listing.repository.js';
import { WebhookListingService } from './webhook-listing.service.js';
import { WebhooksModule } from './webhooks.module.js';

/** Lists webhooks of all merchants, for operators. */
@Module({
  imports: [NoQueuesModule, WebhooksModule],
  providers: [WebhookListingRepository, WebhookListingService],
  exports: [WebhooksModule, WebhookListingService],
})
export class WebhookListingModule {}
