import { Module } from '@nestjs/common';
import { SupplierQueriesService } from './supplier-queries.service.js';
import { CallbackAddressesService } from './callback-addresses.service.js';
import { SupplierBalancesRepository } from './supplier-balances.repository.js';
import { SupplierBalancesService } from './supplier-balances.service.js';
import { SupplierCheckService } from './supplier-check.service.js';
import { SupplierCredentialsService } from './supplier-credentials.service.js';
import { SupplierPausesService } from './supplier-pauses.service.js';
import { SupplierRegistry } from './supplier-registry.js';
import { SuppliersRepository } from './suppliers.repository.js';
import { SuppliersService } from './suppliers.service.js';
import { UnitInquiryService } from './unit-inquiry.service.js';

const PROVIDERS = [
  SuppliersRepository,
  SupplierBalancesRepository,
  SupplierCredentialsService,
  CallbackAddressesService,
  SupplierRegistry,
  SuppliersService,
  SupplierBalancesService,
  SupplierCheckService,
  SupplierPausesService,
  SupplierQueriesService,
  UnitInquiryService,
];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class SuppliersModule {}
