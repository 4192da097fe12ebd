import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { ApprovalViewsService } from './approval-views.service.js';
import { ApprovalDto, ApprovalsQueryDto, ApproveDto, RejectDto, RequestApprovalDto } from './approval.dto.js';

@ApiTags('Approvals')
@Controller('api/approvals')
export class ConsoleApprovalsController {
  constructor(private readonly approvals: ApprovalViewsService) {}

  @Get()
  @ConsoleRoute('wallets.read', 'Movements that wait, or have waited, for a second person, newest first', [ApprovalDto])
  list(@CurrentCaller() caller: Caller, @Query() query: ApprovalsQueryDto): Promise<Page<ApprovalDto>> {
    return this.approvals.list(caller, query);
  }

  @Post()
  @ConsoleRoute(
    'wallets.move',
    'Request a movement, or a decision about a payment, that a second operator must approve',
    ApprovalDto,
    {
      description:
        'Asks for confirmation. Moves no money. While a request waits, another one with its reference and amount returns it.',
      status: 201,
    },
  )
  request(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: RequestApprovalDto,
  ): Promise<ApprovalDto> {
    return this.approvals.request(caller, key, body);
  }

  @Post(':id/approval')
  @ConsoleRoute('wallets.move', 'Approve a request: the money moves', ApprovalDto, {
    description:
      'Asks for confirmation. 403 OWN_REQUEST for the requester. 409 CHANGED_MEANWHILE if the available balance is not ' +
      '`expected_available`. If the same operator approves again, the answer is the same; for another operator it is 409.',
  })
  approve(
    @CurrentCaller() caller: Caller,
    @PathId('approval') id: number,
    @Body() body: ApproveDto,
  ): Promise<ApprovalDto> {
    return this.approvals.approve(caller, id, body);
  }

  @Post(':id/rejection')
  @ConsoleRoute('wallets.move', 'Reject a request, or withdraw one’s own request: no money moves', ApprovalDto, {
    description: 'Asks for confirmation.',
  })
  reject(
    @CurrentCaller() caller: Caller,
    @PathId('approval') id: number,
    @Body() { reason }: RejectDto,
  ): Promise<ApprovalDto> {
    return this.approvals.reject(caller, id, reason);
  }
}
