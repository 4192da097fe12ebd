import { Module } from '@nestjs/common';
import { WalletEntriesService } from './wallet-entries.service.js';
import { WalletService } from './wallet.service.js';
import { WalletsRepository } from './wallets.repository.js';

@Module({
  providers: [WalletsRepository, WalletService, WalletEntriesService],
  exports: [WalletsRepository, WalletService, WalletEntriesService],
})
export class WalletModule {}
