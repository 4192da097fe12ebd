import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { Config } from '../core/config.js';
import { CoreModule } from '../core/core.module.js';
import { AppExceptionFilter } from '../core/http/exception.filter.js';
import type { Logger } from '../core/logger.js';
import { RequestValidationPipe } from '../core/validation/request-validation.pipe.js';
import { DatabaseModule } from '../database/database.module.js';
import { ReplicaWatchService } from '../database/replica-watch.service.js';
import { HealthModule } from '../health/health.module.js';
import { AccessGuard } from './access/access.guard.js';
import { AccessModule } from './access/access.module.js';
import { ApprovalViewsModule } from './approvals/approval-views.module.js';
import { CatalogViewsModule } from './catalog/catalog-views.module.js';
import { ConsoleOrdersModule } from './orders/console-orders.module.js';
import { ConsoleJobsModule } from './jobs/console-jobs.module.js';
import { LogModule } from './audit-log/log.module.js';
import { StatsViewsModule } from './stats/stats-views.module.js';
import { MerchantViewsModule } from './merchants/merchant-views.module.js';
import { ReversalViewsModule } from './reversals/reversal-views.module.js';
import { SupplierViewsModule } from './suppliers/supplier-views.module.js';
import { WebhookViewsModule } from './webhooks/webhook-views.module.js';
import { ConsoleHealthController } from './console-health.controller.js';

/** The process that serves operators. It uses the features' services without queues, and so without Redis. */
@Module({
  imports: [
    DatabaseModule,
    HealthModule,
    AccessModule,
    ApprovalViewsModule,
    CatalogViewsModule,
    ConsoleOrdersModule,
    StatsViewsModule,
    ConsoleJobsModule,
    LogModule,
    MerchantViewsModule,
    ReversalViewsModule,
    SupplierViewsModule,
    WebhookViewsModule,
  ],
  controllers: [ConsoleHealthController],
  providers: [
    ReplicaWatchService,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_FILTER, useClass: AppExceptionFilter },
  ],
})
export class ConsoleModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return { module: ConsoleModule, imports: [CoreModule.register(config, logger)] };
  }
}
