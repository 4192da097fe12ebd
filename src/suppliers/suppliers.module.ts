import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SupplierRegistry } from './supplier-registry.js';
import { Supplier } from './supplier.entity.js';
import { SuppliersService } from './suppliers.service.js';
import { TimingCheck } from './timing-check.js';

@Module({
  imports: [TypeOrmModule.forFeature([Supplier])],
  providers: [SupplierRegistry, SuppliersService, TimingCheck],
  exports: [SupplierRegistry, SuppliersService, TimingCheck],
})
export class SuppliersModule {}
