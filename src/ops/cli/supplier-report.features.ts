import { TypeOrmModule } from '@nestjs/typeorm';
import { Supplier } from '../../catalog/supplier.entity.js';
import { SuppliersService } from '../../catalog/suppliers.service.js';
import type { CommandFeatures } from '../../cli.module.js';
import { HttpSupplier } from '../../fulfilment/http-supplier.js';
import { SupplierReportService } from '../report/supplier-report.service.js';

export const supplierReportFeatures: CommandFeatures = {
  imports: [TypeOrmModule.forFeature([Supplier])],
  providers: [SuppliersService, HttpSupplier, SupplierReportService],
};
