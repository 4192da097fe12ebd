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
import { ApprovalPagesModule } from './approvals/approval-pages.module.js';
import { CataloguePagesModule } from './catalog/catalogue-pages.module.js';
import { DeskModule } from './orders/desk.module.js';
import { ConsoleJobsModule } from './jobs/console-jobs.module.js';
import { LogModule } from './audit-log/log.module.js';
import { FigurePagesModule } from './stats/figure-pages.module.js';
import { MerchantPagesModule } from './merchants/merchant-pages.module.js';
import { ReversalPagesModule } from './reversals/reversal-pages.module.js';
import { SupplierPagesModule } from './suppliers/supplier-pages.module.js';
import { WebhookPagesModule } from './webhooks/webhook-pages.module.js';
import { ConsoleHealthController } from './console-health.controller.js';

/** The process that serves operators: the features' services, without queues and so without Redis. */
@Module({
  imports: [
    DatabaseModule,
    HealthModule,
    AccessModule,
    ApprovalPagesModule,
    CataloguePagesModule,
    DeskModule,
    FigurePagesModule,
    ConsoleJobsModule,
    LogModule,
    MerchantPagesModule,
    ReversalPagesModule,
    SupplierPagesModule,
    WebhookPagesModule,
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
