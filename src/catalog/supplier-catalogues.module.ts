import { Module } from '@nestjs/common';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { ProductReadsRepository } from './product-reads.repository.js';
import { ProductReadsService } from './product-reads.service.js';
import { SupplierCataloguesRepository } from './supplier-catalogues.repository.js';
import { SupplierSyncService } from './supplier-sync.service.js';

/** The catalogues of suppliers. Our own catalogue is another module, because workers and `topup supplier` need only this one. */
@Module({
  imports: [SuppliersModule],
  providers: [SupplierCataloguesRepository, SupplierSyncService, ProductReadsRepository, ProductReadsService],
  exports: [SupplierSyncService, ProductReadsService],
})
export class SupplierCataloguesModule {}
