import { Module } from '@nestjs/common';
import { FulfilmentModule } from '../../fulfilment/fulfilment.module.js';
import { StatsModule } from './stats.module.js';
import { SupplierStatesService } from './supplier-states.service.js';

/** How a worker finds its suppliers. Apart from what shows it, which needs nothing that buys. */
@Module({ imports: [StatsModule, FulfilmentModule], providers: [SupplierStatesService] })
export class SupplierStatesModule {}
