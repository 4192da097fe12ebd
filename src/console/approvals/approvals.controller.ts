import { Body, Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ConsoleActor } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { invalidRequest } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, checkedBaht, formatBaht, optionalBaht, type Satang } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { PaymentsService } from '../../deposits/payments.service.js';
import type { ApprovalKind, ApprovalStatus } from '../../operators/approvals/approval.entity.js';
import type { NamedApproval } from '../../operators/approvals/approvals.repository.js';
import { ApprovalsService, isOverdue } from '../../operators/approvals/approvals.service.js';
import { PaymentRequestsService, type RequestedDecision } from '../../operators/approvals/payment-requests.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { assertMay, needsApproval } from '../access/permission.js';
import { recipientOf } from '../deposits/deposit-views.service.js';
import { idsOf, valuesOf } from '../filters.js';
import { newestFirst } from '../lists.js';
import { ApprovalDto, ApprovalsQueryDto, ApproveDto, RejectDto, RequestApprovalDto } from './approval.dto.js';

/**
 * Movements of money, and decisions about payments, that need a second operator's approval. Operators confirm each request,
 * approval and rejection.
 */
@ApiTags('Approvals')
@Controller('api/approvals')
export class ConsoleApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly payments: PaymentsService,
    private readonly requests: PaymentRequestsService,
    private readonly idempotency: IdempotencyService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ConsoleRoute(
    'wallets.read',
    'Movements and decisions that wait, or have waited, for a second operator, newest first',
    [ApprovalDto],
  )
  list(
    @CurrentCaller() caller: Caller,
    @Query() { status, merchant, ...query }: ApprovalsQueryDto,
  ): Promise<Page<ApprovalDto>> {
    const filter = { statuses: valuesOf<ApprovalStatus>(status), merchantIds: idsOf(merchant) };
    return newestFirst(
      query,
      (before, limit) => this.approvals.list({ ...filter, before, limit }),
      (row) => toApprovalDto(row, caller),
    );
  }

  @Post()
  @ConsoleRoute(
    'wallets.move',
    'Request a movement, or a decision about a payment, that a second operator must approve',
    ApprovalDto,
    {
      description:
        'Asks for confirmation. Moves no money. While a request waits, the same request returns it instead of making another one.',
      status: 201,
    },
  )
  async request(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: RequestApprovalDto,
  ): Promise<ApprovalDto> {
    const { amount, currency, make, ...request } = await this.read(body, caller);
    if (!needsApproval(amount, this.config, currency)) throw needsNone();
    caller.assertConfirmed();
    return this.idempotency.run(caller, {
      action: 'approval.request',
      key,
      reason: body.reason,
      request,
      carryOut: async (by) => toApprovalDto(await make(by), caller),
      answerFrom: async ({ detail }) => toApprovalDto(await this.approvals.get(Number(detail.approval_id)), caller),
    });
  }

  @Post(':id/approval')
  @ConsoleRoute('wallets.move', 'Approve a request: it is carried out', ApprovalDto, {
    description:
      'Asks for confirmation. 403 OWN_REQUEST for the requester. 409 CHANGED_MEANWHILE if the available balance is not ' +
      '`expected_available`, or if another amount than the requested one is to be taken back. If the same operator approves again, ' +
      'the answer is the same; for another operator it is 409.',
  })
  async approve(
    @CurrentCaller() caller: Caller,
    @PathId('approval') id: number,
    @Body() { expected_available: expected }: ApproveDto,
  ): Promise<ApprovalDto> {
    const by = caller.confirmedActor();
    return toApprovalDto(await this.approvals.approve(id, by, optionalBaht(expected)), caller);
  }

  @Post(':id/rejection')
  @ConsoleRoute('wallets.move', 'Reject a request, or withdraw one’s own request: no money moves', ApprovalDto, {
    description: 'Asks for confirmation.',
  })
  async reject(
    @CurrentCaller() caller: Caller,
    @PathId('approval') id: number,
    @Body() { reason }: RejectDto,
  ): Promise<ApprovalDto> {
    return toApprovalDto(await this.approvals.reject(id, caller.confirmedActor(reason)), caller);
  }

  /**
   * Reads a request in the form in which the audit log will record it, because a repeated request is compared with that entry.
   * @throws BAD_REQUEST; NOT_FOUND for an unknown payment; FORBIDDEN
   */
  private async read(given: RequestApprovalDto, caller: Caller): Promise<ReadRequest> {
    const { kind, reason, note, reference } = given;
    if (kind === 'credit' || kind === 'debit') {
      const merchantId = needed('merchant_id', given.merchant_id);
      const amount = checkedBaht(needed('amount', given.amount));
      const movement = { merchantId, kind, amount, reference: needed('reference', reference), note };
      return {
        amount,
        merchantId,
        detail: { kind, reference, note: note ?? null, amount: formatBaht(amount), reason },
        make: (by) => this.approvals.request({ ...movement, by }),
      };
    }
    assertMay(caller, 'payments.decide', this.config);
    const paymentId = needed('payment_id', given.payment_id);
    const { payment } = await this.payments.get(paymentId);
    const decision = decisionOf(kind, given);
    return {
      amount: payment.amount,
      currency: payment.currency,
      detail: {
        kind,
        payment: paymentId,
        deposit_number: given.deposit_number ?? null,
        reason,
        ...(kind === 'payment_return' && { reference }),
      },
      ...(given.merchant_id !== undefined && { merchantId: given.merchant_id }),
      make: (by) => this.requests.request(paymentId, decision, by),
    };
  }
}

/** A request in the form of its log entry, with its amount and the function that stores it. */
interface ReadRequest {
  amount: Satang;
  currency?: string;
  merchantId?: number;
  detail: Record<string, unknown>;
  make: (by: ConsoleActor) => Promise<NamedApproval>;
}

function decisionOf(kind: ApprovalKind, given: RequestApprovalDto): RequestedDecision {
  if (kind === 'payment_credit') return { kind: 'credit', recipient: recipientOf(given) };
  if (kind === 'payment_return') return { kind: 'return', reference: needed('reference', given.reference) };
  return { kind: kind === 'payment_debit' ? 'debit' : 'ignore' };
}

/** @throws BAD_REQUEST if the request lacks a member that its kind needs. */
function needed<Value>(field: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw invalidRequest([{ field, code: 'REQUIRED', message: `${field} is required` }]);
}

function needsNone(): Error {
  const message =
    'an amount up to the limit needs no approval: credit or debit the wallet, or decide the payment, directly';
  return invalidRequest([{ field: 'amount', code: 'OUT_OF_RANGE', message }]);
}

const toApprovalDto = (row: NamedApproval, caller: Caller): ApprovalDto => ({
  ...pick(row, 'id', 'kind', 'payment', 'deposit_number', 'currency', 'reference', 'note', 'reason', 'created_at'),
  ...pick(row, 'expires_at', 'decided_at', 'decision_reason'),
  status: isOverdue(row) ? 'expired' : row.status,
  merchant:
    row.merchant_id === null ? null : { id: row.merchant_id, name: row.merchant_name ?? String(row.merchant_id) },
  amount: formatBaht(row.amount),
  requested_by: row.requester,
  is_own: row.requested_by === caller.id,
  decided_by: row.decider,
  missing: bahtOrNull(row.missing),
});
