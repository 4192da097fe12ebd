import { Module } from '@nestjs/common';
import { WebhookListingModule } from '../../webhooks/webhook-listing.module.js';
import { ConsoleJobsModule } from '../jobs/console-jobs.module.js';
import { DeliveryExportService } from './delivery-export.service.js';
import { WebhookViewsService } from './webhook-views.service.js';
import { ConsoleWebhooksController } from './webhooks.controller.js';

/** Webhooks and their deliveries. */
@Module({
  imports: [ConsoleJobsModule, WebhookListingModule],
  controllers: [ConsoleWebhooksController],
  providers: [DeliveryExportService, WebhookViewsService],
})
export class WebhookViewsModule {}
