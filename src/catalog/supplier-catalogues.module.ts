import { Module } from '@nestjs/common';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SupplierCataloguesRepository } from './supplier-catalogues.repository.js';
import { SupplierSyncService } from './supplier-sync.service.js';

/** What suppliers sell. Apart from our own catalogue, because workers and `topup supplier` need no more. */
@Module({
  imports: [SuppliersModule],
  providers: [SupplierCataloguesRepository, SupplierSyncService],
  exports: [SupplierSyncService],
})
export class SupplierCataloguesModule {}
