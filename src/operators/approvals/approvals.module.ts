import { Module } from '@nestjs/common';
import { OperatorsModule } from '../operators.module.js';
import { WalletModule } from '../../wallet/wallet.module.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';

/** Large movements of money need the approval of a second operator. */
@Module({
  imports: [OperatorsModule, WalletModule],
  providers: [ApprovalsRepository, ApprovalsService],
  exports: [ApprovalsService],
})
export class ApprovalsModule {}
