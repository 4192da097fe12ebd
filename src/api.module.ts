import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { SharedBucketsService } from './auth/shared-buckets.service.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { ProductsController } from './catalog/products.controller.js';
import type { Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import { AppExceptionFilter } from './core/http/exception.filter.js';
import type { Logger } from './core/logger.js';
import { RequestValidationPipe } from './core/validation/request-validation.pipe.js';
import { DatabaseModule } from './database/database.module.js';
import { ReplicaWatchService } from './database/replica-watch.service.js';
import { ChannelCallbacksController } from './deposits/callbacks/channel-callbacks.controller.js';
import { DepositsController } from './deposits/deposits.controller.js';
import { DepositsModule } from './deposits/deposits.module.js';
import { EventsController } from './events/events.controller.js';
import { EventsModule } from './events/events.module.js';
import { HealthController } from './health/health.controller.js';
import type { Site } from './api-docs/site.js';
import { SITE, SiteController } from './api-docs/site.controller.js';
import { TasksModule } from './maintenance/tasks.module.js';
import { ManagementModule } from './monitoring/management/management.module.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersModule } from './orders/orders.module.js';
import { PlayersController } from './orders/players/players.controller.js';
import { PlayersModule } from './orders/players/players.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { SupplierCallbacksController } from './fulfilment/callbacks/supplier-callbacks.controller.js';
import { SupplierCallbacksModule } from './fulfilment/callbacks/supplier-callbacks.module.js';
import { SandboxController } from './wallet/sandbox.controller.js';
import { WalletController } from './wallet/wallet.controller.js';
import { WalletModule } from './wallet/wallet.module.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The process that answers merchants. */
@Module({
  imports: [
    DatabaseModule,
    QueuesModule,
    AuthModule,
    CatalogModule,
    WalletModule,
    DepositsModule,
    OrdersModule,
    PlayersModule,
    WebhooksModule,
    EventsModule,
    SupplierCallbacksModule,
    ManagementModule,
    TasksModule,
  ],
  controllers: [
    OrdersController,
    PlayersController,
    WalletController,
    DepositsController,
    SandboxController,
    ProductsController,
    WebhooksController,
    DeliveriesController,
    EventsController,
    SupplierCallbacksController,
    ChannelCallbacksController,
    HealthController,
    // Must be the last: it serves every path that no other controller does.
    SiteController,
  ],
  providers: [
    ReplicaWatchService,
    SharedBucketsService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_FILTER, useClass: AppExceptionFilter },
  ],
})
export class ApiModule {
  static register(config: Config, logger: Logger, site: Site): DynamicModule {
    return {
      module: ApiModule,
      imports: [CoreModule.register(config, logger)],
      providers: [{ provide: SITE, useValue: site }],
    };
  }
}
