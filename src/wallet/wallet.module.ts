import { Module } from '@nestjs/common';
import { StatementService } from './statement.service.js';
import { SandboxWalletService } from './sandbox-wallet.service.js';
import { WalletService } from './wallet.service.js';
import { WalletsRepository } from './wallets.repository.js';

@Module({
  providers: [WalletsRepository, WalletService, StatementService, SandboxWalletService],
  exports: [WalletsRepository, WalletService, StatementService, SandboxWalletService],
})
export class WalletModule {}
