import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Merchant } from './merchant.entity.js';
import { MerchantsService } from './merchants.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Merchant])],
  providers: [MerchantsService],
  exports: [MerchantsService],
})
export class MerchantsModule {}
