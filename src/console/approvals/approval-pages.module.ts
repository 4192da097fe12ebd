import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../../operators/approvals/approvals.module.js';
import { OnceModule } from '../access/once.module.js';
import { ApprovalPages } from './approval-pages.service.js';
import { ConsoleApprovalsController } from './approvals.controller.js';

/** What a second person decides about. */
@Module({
  imports: [ApprovalsModule, OnceModule],
  controllers: [ConsoleApprovalsController],
  providers: [ApprovalPages],
})
export class ApprovalPagesModule {}
