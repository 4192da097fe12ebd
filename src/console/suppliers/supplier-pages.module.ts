import { Module } from '@nestjs/common';
import { SupplierCataloguesModule } from '../../catalog/supplier-catalogues.module.js';
import { FiguresModule } from '../../monitoring/stats/figures.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { SupportModule } from '../../support/support.module.js';
import { PlayerCensorsModule } from '../orders/player-censors.module.js';
import { SupplierChanges } from './supplier-changes.service.js';
import { ConsoleSupplierSettingsController } from './supplier-settings.controller.js';
import { SupplierSettingsPages } from './supplier-settings.service.js';
import { SupplierPages } from './supplier-pages.service.js';
import { ConsoleSuppliersController } from './suppliers.controller.js';

/** Suppliers: how they do, and what operators do about them. */
@Module({
  imports: [FiguresModule, SuppliersModule, SupplierCataloguesModule, SupportModule, PlayerCensorsModule],
  // The paths with a word of their own come before those with a code.
  controllers: [ConsoleSupplierSettingsController, ConsoleSuppliersController],
  providers: [SupplierPages, SupplierChanges, SupplierSettingsPages],
})
export class SupplierPagesModule {}
