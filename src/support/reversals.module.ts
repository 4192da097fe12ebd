import { Module } from '@nestjs/common';
import { WalletModule } from '../wallet/wallet.module.js';
import { ReversalsRepository } from './reversals.repository.js';
import { ReversalsService } from './reversals.service.js';

@Module({
  imports: [WalletModule],
  providers: [ReversalsRepository, ReversalsService],
  exports: [ReversalsService],
})
export class ReversalsModule {}
