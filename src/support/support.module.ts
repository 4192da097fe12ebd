import { Module } from '@nestjs/common';
import { OrderSupportRepository } from './order-support.repository.js';
import { OrderSupportService } from './order-support.service.js';

/** What looks for orders and shows them. */
@Module({
  providers: [OrderSupportRepository, OrderSupportService],
  exports: [OrderSupportRepository, OrderSupportService],
})
export class SupportModule {}
