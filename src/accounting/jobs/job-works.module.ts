import { Module } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { ClosingsRepository } from '../audit/closings.repository.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../database/database.js';
import { NO_REPLICA, ReplicaReadsService } from '../../database/replica-reads.service.js';
import { JobDatabase } from '../../operators/jobs/job-database.js';
import { JobsModule } from '../../operators/jobs/jobs.module.js';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { NoQueuesModule } from '../../queues/no-queues.module.js';
import { ArchivedOrdersRepository } from '../reports/archived-orders.repository.js';
import { ArchivedOrdersService } from '../reports/archived-orders.service.js';
import { DailyReportRepository } from '../reports/daily-report.repository.js';
import { DailyReportService } from '../reports/daily-report.service.js';
import { MarginReportRepository } from '../reports/margin-report.repository.js';
import { MarginReportService } from '../reports/margin-report.service.js';
import { SupplierReportRepository } from '../reports/supplier-report.repository.js';
import { SupplierReportService } from '../reports/supplier-report.service.js';
import { AttemptChecksRepository } from '../../fulfilment/attempt-checks.repository.js';
import { PurchaseListsRepository } from '../../fulfilment/reconciliation/purchase-lists.repository.js';
import { PurchaseListsService } from '../../fulfilment/reconciliation/purchase-lists.service.js';
import { SoldAfterAllRepository } from '../../fulfilment/reconciliation/sold-after-all.repository.js';
import { UnknownPurchasesRepository } from '../../fulfilment/reconciliation/unknown-purchases.repository.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { DeliveriesRepository } from '../../webhooks/deliveries.repository.js';
import { WebhookReplayService } from '../../webhooks/webhook-replay.service.js';
import { JobWorkService } from './job-work.service.js';

/**
 * The services that jobs use. This module lists them instead of importing their modules, so that they use the jobs' own
 * connections. The services of SuppliersModule use the process's main pool.
 */
@Module({
  imports: [JobsModule, NoQueuesModule, SuppliersModule],
  providers: [
    { provide: Database, useExisting: JobDatabase },
    // Cancelling a job can end statements on the primary only, so jobs must not read from a replica.
    {
      provide: ReplicaReadsService,
      useFactory: (database: JobDatabase, metrics: Metrics) => new ReplicaReadsService(database, NO_REPLICA, metrics),
      inject: [JobDatabase, Metrics],
    },
    AuditRepository,
    ClosingsRepository,
    AuditService,
    DailyReportRepository,
    DailyReportService,
    MarginReportRepository,
    MarginReportService,
    ArchivedOrdersRepository,
    ArchivedOrdersService,
    SettlementRepository,
    SupplierReportRepository,
    SupplierReportService,
    PurchaseListsRepository,
    PurchaseListsService,
    UnknownPurchasesRepository,
    SoldAfterAllRepository,
    AttemptChecksRepository,
    DeliveriesRepository,
    WebhookReplayService,
    JobWorkService,
  ],
  exports: [JobWorkService],
})
export class JobWorksModule {}
