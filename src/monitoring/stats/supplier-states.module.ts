import { Module } from '@nestjs/common';
import { FulfilmentModule } from '../../fulfilment/fulfilment.module.js';
import { StatsModule } from './stats.module.js';
import { SupplierStatesService } from './supplier-states.service.js';

/** Reports the state of suppliers. It is not part of StatsModule, because processes that never buy load StatsModule. */
@Module({ imports: [StatsModule, FulfilmentModule], providers: [SupplierStatesService] })
export class SupplierStatesModule {}
