import { Inject, Injectable } from '@nestjs/common';
import type { NamedApproval } from '../../operators/approvals/approvals.repository.js';
import { ApprovalsService, isOverdue } from '../../operators/approvals/approvals.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { invalidRequest } from '../../core/errors.js';
import { checkedBaht, formatBaht } from '../../core/money.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, pageLimit, toPage, type Page } from '../../core/pagination.js';
import type { Caller } from '../access/caller.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import { needsApproval } from './approval-limit.js';
import type { ApprovalDto, ApprovalsQueryDto, ApproveDto, RequestApprovalDto } from './approval.dto.js';

/** Movements that wait for a second person, as the pages ask for them and decide. All of it is confirmed again. */
@Injectable()
export class ApprovalViewsService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly once: IdempotencyService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Newest first. @throws BAD_REQUEST for a cursor that no page carried. */
  async list(caller: Caller, { status, merchant, limit, cursor }: ApprovalsQueryDto): Promise<Page<ApprovalDto>> {
    const shown = pageLimit({ limit }, CONSOLE_LIMIT);
    const rows = await this.approvals.list({
      status,
      merchantId: merchant === undefined ? undefined : Number(merchant),
      before: Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? MAX_INTEGER),
      limit: shown + 1,
    });
    return toPage(
      rows,
      shown,
      ({ id }) => encodeCursor(id),
      (row) => toApprovalDto(row, caller),
    );
  }

  /** @throws FORBIDDEN; NOT_FOUND; BAD_REQUEST for what needs nobody's approval; CONFLICT for a reference that was used. */
  async request(
    caller: Caller,
    idempotencyKey: string | undefined,
    { merchant_id: merchantId, reason, ...asked }: RequestApprovalDto,
  ): Promise<ApprovalDto> {
    const amount = checkedBaht(asked.amount);
    if (!needsApproval(amount, this.config)) throw noNeed();
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
    caller.assertConfirmed();
    const available = expected === undefined ? undefined : checkedBaht(expected);
    return toApprovalDto(await this.approvals.approve(id, caller.actor(), available), caller);
  }

  /** @throws FORBIDDEN; NOT_FOUND; CONFLICT when it does not wait any more. */
  async reject(caller: Caller, id: number, reason: string): Promise<ApprovalDto> {
    caller.assertConfirmed();
    return toApprovalDto(await this.approvals.reject(id, caller.actor(reason)), caller);
  }
}

const noNeed = (): Error =>
  invalidRequest([
    { field: 'amount', code: 'OUT_OF_RANGE', message: 'nobody has to approve so much: deposit it or take it out' },
  ]);

const toApprovalDto = (row: NamedApproval, caller: Caller): ApprovalDto => ({
  id: row.id,
  status: isOverdue(row) ? 'expired' : row.status,
  merchant: { id: row.merchant_id, name: row.merchant_name },
  kind: row.kind,
  amount: formatBaht(row.amount),
  reference: row.reference,
  note: row.note,
  reason: row.reason,
  requested_by: row.requester,
  is_own: row.requested_by === caller.id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_by: row.decider,
  decided_at: row.decided_at?.toISOString() ?? null,
  decision_reason: row.decision_reason,
});
