import { Module } from '@nestjs/common';
import { DepositsModule } from '../../deposits/deposits.module.js';
import { OperatorsModule } from '../operators.module.js';
import { WalletModule } from '../../wallet/wallet.module.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { PaymentRequestsService } from './payment-requests.service.js';

/** Large movements of money, and large decisions about payments, need the approval of a second operator. */
@Module({
  imports: [DepositsModule, OperatorsModule, WalletModule],
  providers: [ApprovalsRepository, ApprovalsService, PaymentRequestsService],
  exports: [ApprovalsService, PaymentRequestsService],
})
export class ApprovalsModule {}
