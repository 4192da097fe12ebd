import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../../operators/approvals/approvals.module.js';
import { IdempotencyModule } from '../access/idempotency.module.js';
import { ApprovalViewsService } from './approval-views.service.js';
import { ConsoleApprovalsController } from './approvals.controller.js';

/** Movements of money that need a second person. */
@Module({
  imports: [ApprovalsModule, IdempotencyModule],
  controllers: [ConsoleApprovalsController],
  providers: [ApprovalViewsService],
})
export class ApprovalViewsModule {}
