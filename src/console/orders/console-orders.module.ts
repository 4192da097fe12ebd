import { Module } from '@nestjs/common';
import { UnitInquiryModule } from '../../accounting/reports/unit-inquiry.module.js';
import { CatalogModule } from '../../catalog/catalog.module.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { UnitDeliveriesModule } from '../../orders/codes/unit-deliveries.module.js';
import { NoQueuesModule } from '../../queues/no-queues.module.js';
import { OrderDecisionsModule } from '../../support/order-decisions.module.js';
import { ConsoleOrdersService } from './console-orders.service.js';
import { DecisionsService } from './decisions.service.js';
import { ConsoleOrdersController } from './orders.controller.js';
import { PlayerMaskingService } from './player-masking.service.js';
import { ReviewController } from './review.controller.js';

@Module({
  imports: [
    CatalogModule,
    MerchantsModule,
    NoQueuesModule,
    OrderDecisionsModule,
    UnitDeliveriesModule,
    UnitInquiryModule,
  ],
  controllers: [ConsoleOrdersController, ReviewController],
  providers: [ConsoleOrdersService, DecisionsService, PlayerMaskingService],
  exports: [PlayerMaskingService],
})
export class ConsoleOrdersModule {}
