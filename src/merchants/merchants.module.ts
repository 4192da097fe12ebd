import { Module } from '@nestjs/common';
import { MerchantsRepository } from './merchants.repository.js';
import { MerchantsService } from './merchants.service.js';

@Module({
  providers: [MerchantsRepository, MerchantsService],
  exports: [MerchantsRepository, MerchantsService],
})
export class MerchantsModule {}
