import { Module } from '@nestjs/common';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { ProductReadsRepository } from './product-reads.repository.js';
import { ProductReadsService } from './product-reads.service.js';
import { SupplierCataloguesRepository } from './supplier-catalogues.repository.js';
import { SupplierSyncService } from './supplier-sync.service.js';

/** What suppliers sell. Separate from our own catalogue, because workers and `topup supplier` need only this. */
@Module({
  imports: [SuppliersModule],
  providers: [SupplierCataloguesRepository, SupplierSyncService, ProductReadsRepository, ProductReadsService],
  exports: [SupplierSyncService, ProductReadsService],
})
export class SupplierCataloguesModule {}
