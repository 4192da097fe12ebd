import { Module } from '@nestjs/common';
import { AskedSuppliers } from './asked-suppliers.js';
import { CallbackAddresses } from './callback-addresses.js';
import { SupplierBalancesRepository } from './supplier-balances.repository.js';
import { SupplierBalancesService } from './supplier-balances.service.js';
import { SupplierCheckService } from './supplier-check.service.js';
import { SupplierCredentials } from './supplier-credentials.js';
import { SupplierPauses } from './supplier-pauses.js';
import { SupplierRegistry } from './supplier-registry.js';
import { SuppliersRepository } from './suppliers.repository.js';
import { SuppliersService } from './suppliers.service.js';
import { TimingCheck } from './timing-check.js';

const PROVIDERS = [
  ...[
    SuppliersRepository,
    SupplierBalancesRepository,
    SupplierCredentials,
    CallbackAddresses,
    SupplierRegistry,
    SuppliersService,
  ],
  ...[TimingCheck, SupplierBalancesService, SupplierCheckService, SupplierPauses, AskedSuppliers],
];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class SuppliersModule {}
