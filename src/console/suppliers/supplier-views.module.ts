import { Module } from '@nestjs/common';
import { SupplierCataloguesModule } from '../../catalog/supplier-catalogues.module.js';
import { StatsModule } from '../../monitoring/stats/stats.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { SupportModule } from '../../support/support.module.js';
import { ConsoleOrdersModule } from '../orders/console-orders.module.js';
import { SupplierChangesService } from './supplier-changes.service.js';
import { SupplierViewsService } from './supplier-views.service.js';
import { ConsoleSuppliersController, ConsoleSupplierSettingsController } from './suppliers.controller.js';

/** Suppliers, their settings and their catalogues. */
@Module({
  imports: [StatsModule, SuppliersModule, SupplierCataloguesModule, SupportModule, ConsoleOrdersModule],
  // Fixed paths must come before those with a code.
  controllers: [ConsoleSupplierSettingsController, ConsoleSuppliersController],
  providers: [SupplierViewsService, SupplierChangesService],
})
export class SupplierViewsModule {}
