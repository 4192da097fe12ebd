import { Module } from '@nestjs/common';
import { AuditRepository } from '../../audit/audit.repository.js';
import { AuditService } from '../../audit/audit.service.js';
import { ClosingsRepository } from '../../audit/closings.repository.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../database/database.js';
import { NO_REPLICA, ReplicaReads } from '../../database/replica-reads.js';
import { JobDatabase } from '../../jobs/job-database.js';
import { JobsModule } from '../../jobs/jobs.module.js';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { NoQueuesModule } from '../../queues/no-queues.module.js';
import { ArchivedOrdersRepository } from '../../reports/archived-orders.repository.js';
import { ArchivedOrders } from '../../reports/archived-orders.service.js';
import { DailyReportRepository } from '../../reports/daily-report.repository.js';
import { DailyReportService } from '../../reports/daily-report.service.js';
import { MarginReportRepository } from '../../reports/margin-report.repository.js';
import { MarginReportService } from '../../reports/margin-report.service.js';
import { SupplierReportRepository } from '../../reports/supplier-report.repository.js';
import { SupplierReportService } from '../../reports/supplier-report.service.js';
import { PurchaseListsRepository } from '../../supplier-purchases/purchase-lists.repository.js';
import { PurchaseListsService } from '../../supplier-purchases/purchase-lists.service.js';
import { SoldAfterAllRepository } from '../../supplier-purchases/sold-after-all.repository.js';
import { UnknownPurchasesRepository } from '../../supplier-purchases/unknown-purchases.repository.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { DeliveriesRepository } from '../../webhooks/deliveries.repository.js';
import { WebhookReplay } from '../../webhooks/webhook-replay.service.js';
import { JobWorks } from './job-works.service.js';

/** The services that jobs use. They are listed one by one, and not imported, to be on the jobs' own connections. */
@Module({
  imports: [JobsModule, NoQueuesModule, SuppliersModule],
  providers: [
    { provide: Database, useExisting: JobDatabase },
    // A job that is cancelled ends on the primary, by the name that it has there.
    {
      provide: ReplicaReads,
      useFactory: (database: JobDatabase, metrics: Metrics) =>
        new ReplicaReads(database, NO_REPLICA, metrics),
      inject: [JobDatabase, Metrics],
    },
    ...[AuditRepository, ClosingsRepository, AuditService],
    ...[DailyReportRepository, DailyReportService, MarginReportRepository, MarginReportService],
    ...[ArchivedOrdersRepository, ArchivedOrders],
    ...[SettlementRepository, SupplierReportRepository, SupplierReportService],
    ...[PurchaseListsRepository, PurchaseListsService],
    ...[UnknownPurchasesRepository, SoldAfterAllRepository],
    ...[DeliveriesRepository, WebhookReplay],
    JobWorks,
  ],
  exports: [JobWorks],
})
export class JobWorksModule {}
