import { Module, type DynamicModule } from '@nestjs/common';
import { AuditModule } from './accounting/audit/audit.module.js';
import type { Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import type { Logger } from './core/logger.js';
import { DatabaseModule } from './database/database.module.js';
import { DepositsModule } from './deposits/deposits.module.js';
import { FulfilmentModule } from './fulfilment/fulfilment.module.js';
import { SupplierCataloguesModule } from './catalog/supplier-catalogues.module.js';
import { SupplierStatesModule } from './monitoring/stats/supplier-states.module.js';
import { ManagementModule } from './monitoring/management/management.module.js';
import { MaintenanceModule } from './maintenance/maintenance.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { SupplierPurchasesModule } from './fulfilment/reconciliation/supplier-purchases.module.js';
import { WebhookDispatchModule } from './webhooks/webhook-dispatch.module.js';

/** A worker: the process that buys from suppliers and delivers webhooks. Any number of workers share the work. */
@Module({
  imports: [
    DatabaseModule,
    QueuesModule,
    FulfilmentModule,
    WebhookDispatchModule,
    ManagementModule,
    SupplierStatesModule,
    SupplierCataloguesModule,
    AuditModule,
    DepositsModule,
    SupplierPurchasesModule,
    // Must be the last: it stops first, while the management port still answers.
    MaintenanceModule,
  ],
})
export class WorkerModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return { module: WorkerModule, imports: [CoreModule.register(config, logger)] };
  }
}
