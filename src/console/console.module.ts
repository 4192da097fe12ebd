import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { JobWorksModule } from '../accounting/jobs/job-works.module.js';
import { BusinessDaysModule } from '../accounting/reports/business-days.module.js';
import { ReportsModule } from '../accounting/reports/reports.module.js';
import { AuditLogRepository } from '../audit-log/audit-log.repository.js';
import { AuthModule } from '../auth/auth.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { SupplierCataloguesModule } from '../catalog/supplier-catalogues.module.js';
import type { Config } from '../core/config.js';
import { CoreModule } from '../core/core.module.js';
import { AppExceptionFilter } from '../core/http/exception.filter.js';
import type { Logger } from '../core/logger.js';
import { RequestValidationPipe } from '../core/validation/request-validation.pipe.js';
import { DatabaseModule } from '../database/database.module.js';
import { ReplicaWatchService } from '../database/replica-watch.service.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { HealthModule } from '../health/health.module.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { StatsModule } from '../monitoring/stats/stats.module.js';
import { ApprovalsModule } from '../operators/approvals/approvals.module.js';
import { CompanyProvider } from '../operators/company/company-provider.js';
import { JobsModule } from '../operators/jobs/jobs.module.js';
import { SignInModule } from '../operators/sign-in.module.js';
import { UnitDeliveriesModule } from '../orders/codes/unit-deliveries.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { OrderDecisionsModule } from '../support/order-decisions.module.js';
import { ReversalsModule } from '../support/reversals.module.js';
import { SupportModule } from '../support/support.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { WebhookListingModule } from '../webhooks/webhook-listing.module.js';
import { AccessGuard } from './access/access.guard.js';
import { AccountsController } from './access/accounts.controller.js';
import { CompanySignInController } from './access/company-sign-in.controller.js';
import { CompanySignInService } from './access/company-sign-in.service.js';
import { IdempotencyService } from './access/idempotency.service.js';
import { MeController } from './access/me.controller.js';
import { SessionStore } from './access/session-store.js';
import { SessionController } from './access/session.controller.js';
import { SessionsService } from './access/sessions.service.js';
import { ConsoleApprovalsController } from './approvals/approvals.controller.js';
import { LogController } from './audit-log/log.controller.js';
import { ConsoleFxController } from './catalog/fx.controller.js';
import { CatalogueImportsController } from './catalog/imports.controller.js';
import { ConsoleOffersController } from './catalog/offers.controller.js';
import { ProductViewsService } from './catalog/product-views.service.js';
import { ConsoleProductsController } from './catalog/products.controller.js';
import { ConsoleHealthController } from './console-health.controller.js';
import { ChannelViewsService } from './deposits/channel-views.service.js';
import { ConsoleChannelsController, ConsoleStatementsController } from './deposits/channels.controller.js';
import { DepositViewsService } from './deposits/deposit-views.service.js';
import { ConsoleDepositsController, ConsolePaymentsController } from './deposits/deposits.controller.js';
import { ConsoleJobsService } from './jobs/console-jobs.service.js';
import { JobsController } from './jobs/jobs.controller.js';
import { ConsoleKeysController } from './merchants/merchant-keys.controller.js';
import { ConsolePricesController } from './merchants/merchant-prices.controller.js';
import { ConsoleWalletController } from './merchants/merchant-wallet.controller.js';
import { ConsoleMerchantsController } from './merchants/merchants.controller.js';
import { ConsoleOrdersController } from './orders/orders.controller.js';
import { ReviewController } from './orders/review.controller.js';
import { ConsoleReversalsController } from './reversals/reversals.controller.js';
import { ConsoleFiguresController } from './stats/stats.controller.js';
import { SupplierViewsService } from './suppliers/supplier-views.service.js';
import { ConsoleSuppliersController, ConsoleSupplierSettingsController } from './suppliers/suppliers.controller.js';
import { ConsoleWebhooksController } from './webhooks/webhooks.controller.js';

/** The services of the features that the pages show. */
const FEATURES = [
  ApprovalsModule,
  AuthModule,
  BusinessDaysModule,
  CatalogModule,
  DepositsModule,
  HealthModule,
  JobsModule,
  JobWorksModule,
  MerchantsModule,
  NoQueuesModule,
  OrderDecisionsModule,
  ReportsModule,
  ReversalsModule,
  SignInModule,
  StatsModule,
  SupplierCataloguesModule,
  SuppliersModule,
  SupportModule,
  UnitDeliveriesModule,
  WalletModule,
  WebhookListingModule,
];

/**
 * The first matching route handles a request. So `ConsoleSupplierSettingsController` (`suppliers/adapters`) stands before
 * `ConsoleSuppliersController` (`suppliers/:code`).
 */
const CONTROLLERS = [
  ConsoleHealthController,
  SessionController,
  CompanySignInController,
  MeController,
  AccountsController,
  ConsoleApprovalsController,
  ConsoleProductsController,
  CatalogueImportsController,
  ConsoleOffersController,
  ConsoleFxController,
  ConsoleOrdersController,
  ReviewController,
  ConsoleFiguresController,
  JobsController,
  LogController,
  ConsoleMerchantsController,
  ConsoleWalletController,
  ConsoleKeysController,
  ConsolePricesController,
  ConsoleDepositsController,
  ConsolePaymentsController,
  ConsoleChannelsController,
  ConsoleStatementsController,
  ConsoleReversalsController,
  ConsoleSupplierSettingsController,
  ConsoleSuppliersController,
  ConsoleWebhooksController,
];

const SERVICES = [
  AuditLogRepository,
  ChannelViewsService,
  CompanyProvider,
  CompanySignInService,
  ConsoleJobsService,
  DepositViewsService,
  IdempotencyService,
  ProductViewsService,
  ReplicaWatchService,
  SessionsService,
  SessionStore,
  SupplierViewsService,
];

/** The process that serves operators. It uses the features' services without queues, and so without Redis. */
@Module({
  imports: [DatabaseModule, ...FEATURES],
  controllers: CONTROLLERS,
  providers: [
    ...SERVICES,
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
