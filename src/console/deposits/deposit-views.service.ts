import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { refusal } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { checkedPeriod } from '../../core/moments.js';
import { bahtOrNull, formatBaht, optionalBaht } from '../../core/money.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, toPage, type Page } from '../../core/pagination.js';
import { toSlipDto } from '../../deposits/deposit.mapper.js';
import type { DepositRow } from '../../deposits/deposits.repository.js';
import type { DepositStatus } from '../../deposits/deposit.entity.js';
import { DepositsService } from '../../deposits/deposits.service.js';
import { isOpenCase, type PaymentRow } from '../../deposits/payments.repository.js';
import { PaymentsService, versionOf, type PaymentDecision, type Recipient } from '../../deposits/payments.service.js';
import { StatementsService } from '../../deposits/statements/statements.service.js';
import { suggestionsOf, toDepositDetail, toDepositView, toPaymentView, type View } from '../../deposits/views.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import type { Caller } from '../access/caller.js';
import { assertNeedsNoApproval } from '../access/permission.js';
import { idsOf, valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import type { MerchantNameDto } from '../orders/order.dto.js';
import type { ConsoleDepositDto, ConsoleDepositsQueryDto, DepositDetailDto, PresentedSlipDto } from './deposit.dto.js';
import type {
  CreditPaymentDto,
  DecidedPaymentDto,
  PaymentDto,
  PaymentsQueryDto,
  SuggestionDto,
} from './payment.dto.js';

type NameOf = (merchantId: number) => MerchantNameDto;

/** Deposits and payments as operators see them. Operators confirm each decision. */
@Injectable()
export class DepositViewsService {
  constructor(
    private readonly deposits: DepositsService,
    private readonly payments: PaymentsService,
    private readonly statements: StatementsService,
    private readonly merchants: MerchantsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Newest first. @throws BAD_REQUEST for an invalid cursor, or unless the period ends after its beginning. */
  async list(caller: Caller, query: ConsoleDepositsQueryDto): Promise<Page<ConsoleDepositDto>> {
    const { merchant, q: name, from, to, status, channel } = query;
    const { limit, start: before } = placeOf(query);
    const { from: createdFrom, to: createdTo } = checkedPeriod({ from, to });
    const of = { merchantIds: idsOf(merchant), statuses: valuesOf<DepositStatus>(status), channels: valuesOf(channel) };
    const rows = await this.deposits.list({ ...of, createdFrom, createdTo, name, before, limit: limit + 1 });
    const nameOf = await this.names(rows.map(({ deposit }) => deposit.merchant_id));
    const toDto = (row: DepositRow): ConsoleDepositDto => answer(toDepositView(row), row, nameOf, caller);
    return toPage(rows, limit, ({ deposit }) => encodeCursor(deposit.id), toDto);
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, number: string): Promise<DepositDetailDto> {
    const row = await this.deposits.getByNumber(number);
    const nameOf = await this.names([row.deposit.merchant_id]);
    return { ...answer(toDepositDetail(row), row, nameOf, caller), slips: slipsOf(row) } as DepositDetailDto;
  }

  /** @throws BAD_REQUEST for an invalid cursor. */
  async listPayments(caller: Caller, query: PaymentsQueryDto): Promise<Page<PaymentDto>> {
    const { which, channel, merchant, amount } = query;
    const { limit, start } = placeOf(query);
    const rows = await this.payments.list({
      waiting: which === 'waiting',
      cases: which === 'cases',
      channels: valuesOf(channel),
      merchantIds: idsOf(merchant),
      amount: optionalBaht(amount),
      start,
      limit: limit + 1,
    });
    const page = toPage(rows, limit, ({ payment }) => encodeCursor(payment.id));
    return { ...page, data: await this.toPayments(caller, page.data) };
  }

  /** @throws NOT_FOUND */
  async showPayment(caller: Caller, id: string): Promise<PaymentDto> {
    return this.toPayment(caller, await this.payments.get(id));
  }

  /**
   * Carries a decision out.
   * @throws FORBIDDEN until the operator confirms, and with APPROVAL_REQUIRED if a second operator must approve;
   * NOT_FOUND; BAD_REQUEST; CONFLICT if the payment was decided before, or if the balance or the amount to take back is
   * not the expected one.
   */
  async decide(caller: Caller, id: string, decision: PaymentDecision, reason: string): Promise<DecidedPaymentDto> {
    const { payment } = await this.payments.get(id);
    if (decision.kind !== 'keep') assertNeedsNoApproval(payment.amount, this.config, payment.currency);
    const { missing, ...row } = await this.payments.decide(id, decision, { ...caller.confirmedActor(), reason });
    return { ...(await this.toPayment(caller, row)), missing: formatBaht(missing) };
  }

  private async toPayment(caller: Caller, row: PaymentRow): Promise<PaymentDto> {
    return present((await this.toPayments(caller, [row]))[0], 'a payment is shown');
  }

  private async toPayments(caller: Caller, rows: PaymentRow[]): Promise<PaymentDto[]> {
    const merchants = rows.flatMap(({ payment: { merchant_id: credited, named_merchant_id: named }, suggestions }) => [
      ...suggestions.map(({ merchant_id }) => merchant_id),
      ...[credited, named].flatMap((id) => id ?? []),
    ]);
    const lines = rows.flatMap(({ payment: { line_id } }) => (line_id === null ? [] : [line_id]));
    const [nameOf, texts, toTakeBack] = await Promise.all([
      this.names(merchants),
      caller.may('players.read') ? this.statements.listTexts(lines) : new Map<bigint, string>(),
      Promise.all(rows.map(({ payment }) => this.payments.toTakeBack(payment))),
    ]);
    return rows.map((row, index) => ({
      ...toPaymentDto(row, nameOf, texts),
      to_take_back: bahtOrNull(toTakeBack[index] ?? null),
    }));
  }

  private async names(ids: number[]): Promise<NameOf> {
    const names = await this.merchants.names(ids);
    return (id) => ({ id, name: names.get(id) ?? String(id) });
  }
}

/** The deposit or merchant of a credit. @throws BAD_REQUEST unless exactly one is given. */
export function recipientOf({ deposit_number, merchant_id }: Omit<CreditPaymentDto, 'reason'>): Recipient {
  if (deposit_number !== undefined && merchant_id === undefined) return { depositNumber: deposit_number };
  if (merchant_id !== undefined && deposit_number === undefined) return { merchantId: merchant_id };
  throw refusal('BAD_REQUEST', 'REQUIRED', 'deposit_number', 'give one of deposit_number and merchant_id');
}

function answer(view: View, row: DepositRow, nameOf: NameOf, caller: Caller): ConsoleDepositDto {
  const { merchant_id: id, metadata } = row.deposit;
  const { merchant_id: _id, ...members } = view;
  return {
    ...(members as unknown as ConsoleDepositDto),
    slip: slipsOf(row).at(-1) ?? null,
    merchant: nameOf(id),
    metadata: caller.may('players.read') ? (metadata ?? {}) : {},
  };
}

const slipsOf = (row: DepositRow): PresentedSlipDto[] =>
  row.slips.map((slip) => ({
    reference: slip.slip_ref,
    ...toSlipDto(slip, row),
    payment_id: slip.payment_id,
    presented_at: new Date(slip.created_at).toISOString(),
  }));

function toPaymentDto(
  row: PaymentRow,
  nameOf: NameOf,
  texts: ReadonlyMap<bigint, string>,
): Omit<PaymentDto, 'to_take_back'> {
  const { payment, imported_by } = row;
  const { merchant_id: _id, ...members } = toPaymentView(row);
  const suggestions = suggestionsOf(row) as unknown as (Omit<SuggestionDto, 'merchant'> & { merchant_id: number })[];
  return {
    ...(members as unknown as PaymentDto),
    merchant: payment.merchant_id === null ? null : nameOf(payment.merchant_id),
    is_open_case: isOpenCase(payment),
    version: versionOf(payment),
    seen_at: payment.seen_at.toISOString(),
    text: payment.line_id === null ? null : (texts.get(payment.line_id) ?? null),
    imported_by,
    suggestions: suggestions.map(({ merchant_id, ...each }) => ({ ...each, merchant: nameOf(merchant_id) })),
  };
}

/** The size of a page, and the place where it begins. */
function placeOf(query: { limit?: string; cursor?: string }): { limit: number; start: bigint | undefined } {
  const { limit, cursor } = pageOf(query);
  return { limit, start: decodeCursor(cursor, [MAX_BIGINT])?.[0] };
}
