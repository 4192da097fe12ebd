import { Module } from '@nestjs/common';
import { CatalogModule } from '../../catalog/catalog.module.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { NoQueuesModule } from '../../queues/no-queues.module.js';
import { UnitInquiryModule } from '../../accounting/reports/unit-inquiry.module.js';
import { OrderDecisionsModule } from '../../support/order-decisions.module.js';
import { UnitDeliveriesModule } from '../../orders/codes/unit-deliveries.module.js';
import { BatchDecisionsService } from './batch-decisions.service.js';
import { CodeRevealService } from './code-reveal.service.js';
import { DecisionsService } from './decisions.service.js';
import { ConsoleOrdersService } from './console-orders.service.js';
import { PlayerCensorsModule } from './player-censors.module.js';
import { OrderExportService } from './order-export.service.js';
import { ConsoleOrdersController } from './orders.controller.js';
import { ReviewController } from './review.controller.js';

/** Orders, and what operators do about them. */
@Module({
  imports: [
    CatalogModule,
    MerchantsModule,
    NoQueuesModule,
    OrderDecisionsModule,
    PlayerCensorsModule,
    UnitDeliveriesModule,
    UnitInquiryModule,
  ],
  controllers: [ConsoleOrdersController, ReviewController],
  providers: [BatchDecisionsService, CodeRevealService, DecisionsService, ConsoleOrdersService, OrderExportService],
})
export class ConsoleOrdersModule {}
