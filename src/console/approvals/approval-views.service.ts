import { Inject, Injectable } from '@nestjs/common';
import type { NamedApproval } from '../../operators/approvals/approvals.repository.js';
import { ApprovalsService, isOverdue } from '../../operators/approvals/approvals.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { invalidRequest } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { checkedBaht, formatBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import type { Caller } from '../access/caller.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { newestFirst } from '../lists.js';
import { merchantOf } from '../orders/order.mapper.js';
import { needsApproval } from '../access/permission.js';
import type { ApprovalDto, ApprovalsQueryDto, ApproveDto, RequestApprovalDto } from './approval.dto.js';

/** Movements of money that need a second person. Operators confirm each request and decision. */
@Injectable()
export class ApprovalViewsService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly once: IdempotencyService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  list(caller: Caller, { status, merchant, ...page }: ApprovalsQueryDto): Promise<Page<ApprovalDto>> {
    const merchantId = merchant === undefined ? undefined : Number(merchant);
    return newestFirst(
      page,
      (before, limit) => this.approvals.list({ status, merchantId, before, limit }),
      (row) => toApprovalDto(row, caller),
    );
  }

  /** @throws FORBIDDEN; NOT_FOUND; BAD_REQUEST for an amount up to the limit; CONFLICT for a reference that was used. */
  async request(
    caller: Caller,
    idempotencyKey: string | undefined,
    { merchant_id: merchantId, reason, ...asked }: RequestApprovalDto,
  ): Promise<ApprovalDto> {
    const amount = checkedBaht(asked.amount);
    if (!needsApproval(amount, this.config)) throw needsNone();
    caller.assertConfirmed();
    return this.once.run(caller, {
      action: 'approval.request',
      key: idempotencyKey,
      reason,
      asked: { merchantId, detail: { ...asked, note: asked.note ?? null, amount: formatBaht(amount), reason } },
      carryOut: async (by) => toApprovalDto(await this.approvals.request({ ...asked, merchantId, amount, by }), caller),
      repeat: async ({ detail }) => toApprovalDto(await this.approvals.get(Number(detail.approval_id)), caller),
    });
  }

  /** @throws FORBIDDEN; NOT_FOUND; CONFLICT, with CHANGED_MEANWHILE for another balance than expected. */
  async approve(caller: Caller, id: number, { expected_available: expected }: ApproveDto): Promise<ApprovalDto> {
    const by = caller.confirmedActor();
    const available = expected === undefined ? undefined : checkedBaht(expected);
    return toApprovalDto(await this.approvals.approve(id, by, available), caller);
  }

  /** @throws FORBIDDEN; NOT_FOUND; CONFLICT if the request no longer waits. */
  async reject(caller: Caller, id: number, reason: string): Promise<ApprovalDto> {
    return toApprovalDto(await this.approvals.reject(id, caller.confirmedActor(reason)), caller);
  }
}

function needsNone(): Error {
  const message = 'an amount up to the limit needs no approval: deposit it or take it out';
  return invalidRequest([{ field: 'amount', code: 'OUT_OF_RANGE', message }]);
}

const toApprovalDto = (row: NamedApproval, caller: Caller): ApprovalDto => ({
  ...pick(
    row,
    'id',
    'kind',
    'reference',
    'note',
    'reason',
    'created_at',
    'expires_at',
    'decided_at',
    'decision_reason',
  ),
  status: isOverdue(row) ? 'expired' : row.status,
  merchant: merchantOf(row),
  amount: formatBaht(row.amount),
  requested_by: row.requester,
  is_own: row.requested_by === caller.id,
  decided_by: row.decider,
});
