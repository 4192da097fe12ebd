import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SupplierRegistry } from './supplier-registry.js';
import { Supplier } from './supplier.entity.js';
import { SuppliersRepository } from './suppliers.repository.js';
import { SuppliersService } from './suppliers.service.js';
import { TimingCheck } from './timing-check.js';

@Module({
  imports: [TypeOrmModule.forFeature([Supplier])],
  providers: [SuppliersRepository, SupplierRegistry, SuppliersService, TimingCheck],
  exports: [SuppliersRepository, SupplierRegistry, SuppliersService, TimingCheck],
})
export class SuppliersModule {}
