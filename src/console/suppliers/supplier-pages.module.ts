import { Module } from '@nestjs/common';
import { SupplierCataloguesModule } from '../../catalog/supplier-catalogues.module.js';
import { FiguresModule } from '../../figures/figures.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { SupplierChanges } from './supplier-changes.service.js';
import { SupplierPages } from './supplier-pages.service.js';
import { ConsoleSuppliersController } from './suppliers.controller.js';

/** Suppliers: how they do, and what operators do about them. */
@Module({
  imports: [FiguresModule, SuppliersModule, SupplierCataloguesModule],
  controllers: [ConsoleSuppliersController],
  providers: [SupplierPages, SupplierChanges],
})
export class SupplierPagesModule {}
