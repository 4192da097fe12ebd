import { Module } from '@nestjs/common';
import { OperatorsModule } from '../operators.module.js';
import { WalletModule } from '../../wallet/wallet.module.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';

/** A second person's word for large movements of money. */
@Module({
  imports: [OperatorsModule, WalletModule],
  providers: [ApprovalsRepository, ApprovalsService],
  exports: [ApprovalsService],
})
export class ApprovalsModule {}
