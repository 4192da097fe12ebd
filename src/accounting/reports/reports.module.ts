import { Module } from '@nestjs/common';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { SupplierPurchasesModule } from '../../fulfilment/reconciliation/supplier-purchases.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { ArchivedOrdersRepository } from './archived-orders.repository.js';
import { ArchivedOrdersService } from './archived-orders.service.js';
import { DailyReportRepository } from './daily-report.repository.js';
import { DailyReportService } from './daily-report.service.js';
import { DepositsReportRepository } from './deposits-report.repository.js';
import { DepositsReportService } from './deposits-report.service.js';
import { MarginReportRepository } from './margin-report.repository.js';
import { MarginReportService } from './margin-report.service.js';
import { MerchantStatsRepository } from './merchant-stats.repository.js';
import { StatementRepository } from './statement.repository.js';
import { AccountStatementService } from './statement.service.js';
import { SupplierReportRepository } from './supplier-report.repository.js';
import { SupplierReportService } from './supplier-report.service.js';

@Module({
  imports: [SuppliersModule, SupplierPurchasesModule],
  providers: [
    DailyReportRepository,
    DailyReportService,
    MarginReportRepository,
    MarginReportService,
    DepositsReportRepository,
    DepositsReportService,
    MerchantStatsRepository,
    ArchivedOrdersRepository,
    ArchivedOrdersService,
    StatementRepository,
    AccountStatementService,
    // Provides the repository without its module, because that module also loads the queues.
    SettlementRepository,
    SupplierReportRepository,
    SupplierReportService,
  ],
  exports: [
    DailyReportService,
    MarginReportService,
    DepositsReportService,
    MerchantStatsRepository,
    AccountStatementService,
    SupplierReportService,
    ArchivedOrdersService,
  ],
})
export class ReportsModule {}
