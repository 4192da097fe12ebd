import { Module } from '@nestjs/common';
import { CallbackRetentionService } from './callback-retention.service.js';
import { SupplierCallbacksRepository } from './supplier-callbacks.repository.js';

/** For workers, which take no callbacks. */
@Module({ providers: [SupplierCallbacksRepository, CallbackRetentionService] })
export class CallbackRetentionModule {}
