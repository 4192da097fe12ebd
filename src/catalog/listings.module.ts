import { Module } from '@nestjs/common';
import { ListingsRepository } from './listings.repository.js';
import { ListingsService } from './listings.service.js';

/** The catalogue as merchants see it and order from it. */
@Module({
  providers: [ListingsRepository, ListingsService],
  exports: [ListingsRepository, ListingsService],
})
export class ListingsModule {}
