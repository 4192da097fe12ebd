import { Module } from '@nestjs/common';
import { FulfilmentModule } from '../../fulfilment/fulfilment.module.js';
import { StatsModule } from './stats.module.js';
import { SupplierStatesService } from './supplier-states.service.js';

/** Reports the state of suppliers. Apart from StatsModule, whose users must not load what buys. */
@Module({ imports: [StatsModule, FulfilmentModule], providers: [SupplierStatesService] })
export class SupplierStatesModule {}
