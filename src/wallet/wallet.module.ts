import { Module } from '@nestjs/common';
import { StatementService } from './statement.service.js';
import { WalletService } from './wallet.service.js';
import { WalletsRepository } from './wallets.repository.js';

@Module({
  providers: [WalletsRepository, WalletService, StatementService],
  exports: [WalletsRepository, WalletService, StatementService],
})
export class WalletModule {}
