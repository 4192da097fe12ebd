import { TypeOrmModule } from '@nestjs/typeorm';
import { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import type { CommandFeatures } from '../cli.module.js';
import { HttpSupplier } from '../suppliers/http/http-supplier.js';
import { SupplierReportService } from '../reports/supplier-report.service.js';

export const supplierReportFeatures: CommandFeatures = {
  imports: [TypeOrmModule.forFeature([Supplier])],
  providers: [SuppliersService, HttpSupplier, SupplierReportService],
};
