import { Module } from '@nestjs/common';
import { WalletModule } from '../wallet/wallet.module.js';
import { PurchaseMatchesRepository } from './purchase-matches.repository.js';
import { ReversalsRepository } from './reversals.repository.js';
import { ReversalsService } from './reversals.service.js';

@Module({
  imports: [WalletModule],
  providers: [ReversalsRepository, PurchaseMatchesRepository, ReversalsService],
  exports: [ReversalsService],
})
export class ReversalsModule {}
