import { Module } from '@nestjs/common';
import { StatementService } from './statement.service.js';
import { WalletService } from './wallet.service.js';

@Module({
  providers: [WalletService, StatementService],
  exports: [WalletService, StatementService],
})
export class WalletModule {}
