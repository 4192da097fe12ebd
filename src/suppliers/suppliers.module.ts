import { Module } from '@nestjs/common';
import { SupplierRegistry } from './supplier-registry.js';
import { SuppliersRepository } from './suppliers.repository.js';
import { SuppliersService } from './suppliers.service.js';
import { TimingCheck } from './timing-check.js';

@Module({
  providers: [SuppliersRepository, SupplierRegistry, SuppliersService, TimingCheck],
  exports: [SuppliersRepository, SupplierRegistry, SuppliersService, TimingCheck],
})
export class SuppliersModule {}
