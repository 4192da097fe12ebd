import { Module } from '@nestjs/common';
import { WebhookDeskModule } from '../../webhooks/webhook-desk.module.js';
import { ConsoleJobsModule } from '../jobs/console-jobs.module.js';
import { DeliveryExport } from './delivery-export.service.js';
import { WebhookPages } from './webhook-pages.service.js';
import { ConsoleWebhooksController } from './webhooks.controller.js';

/** Webhooks and their deliveries. */
@Module({
  imports: [ConsoleJobsModule, WebhookDeskModule],
  controllers: [ConsoleWebhooksController],
  providers: [DeliveryExport, WebhookPages],
})
export class WebhookPagesModule {}
