import { Inject, Injectable } from '@nestjs/common';
import { UnitInquiryService } from '../../suppliers/unit-inquiry.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { invalidValue, notFound } from '../../core/errors.js';
import { failure } from '../../core/failures.js';
import { pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import { unitName } from '../../orders/order.rows.js';
import type { DefiniteOutcome } from '../../suppliers/supplier-outcome.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import { BatchResolutionService, type ChosenUnit, type UnitStatus } from '../../support/batch-resolution.service.js';
import { sumOf, summaryOf } from '../../support/batch-summary.js';
import type { UncancelledUnit } from '../../support/order-problems.js';
import { OrderCancellationService } from '../../support/order-cancellation.service.js';
import { OrderResolutionService } from '../../support/order-resolution.service.js';
import { OrderSupportService } from '../../support/order-support.service.js';
import type { Caller } from '../access/caller.js';
import type {
  BatchPreviewDto,
  BatchResolvedDto,
  CancelDto,
  CancellationDto,
  ChosenUnitDto,
  InquiryDto,
  LeftUnitDto,
  NamedUnitDto,
  NamedUnitsDto,
  NoteDto,
  ResolveDto,
  ResolveManyDto,
  RevealedDto,
  UndecidedUnitDto,
} from './decision.dto.js';
import type { OrderDetailDto } from './order.dto.js';
import { toOrderDetailDto } from './order.mapper.js';
import { readUnit, type Unit } from './unit-name.js';

/** The actions of operators on orders and their units. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly orders: OrderSupportService,
    private readonly cancellation: OrderCancellationService,
    private readonly resolution: OrderResolutionService,
    private readonly batch: BatchResolutionService,
    private readonly inquiry: UnitInquiryService,
    private readonly queries: SupplierQueriesService,
    private readonly deliveries: UnitDeliveriesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws NOT_FOUND; BAD_REQUEST */
  async note(caller: Caller, orderNumber: string, { text }: NoteDto): Promise<OrderDetailDto> {
    await this.orders.note(orderNumber, text, caller.actor());
    return this.show(caller, orderNumber);
  }

  /** @throws NOT_FOUND; BAD_REQUEST; CONFLICT where no unit can be cancelled. */
  async cancel(caller: Caller, orderNumber: string, { unit, reason }: CancelDto): Promise<CancellationDto> {
    const { cancelled, uncancelled } = await this.cancellation.cancel({
      order: await this.orders.get(orderNumber),
      unit: unit === undefined ? undefined : readUnit(unit),
      by: caller.actor(reason),
    });
    return {
      cancelled: cancelled.map(unitName),
      left: uncancelled.map(toLeftUnitDto),
      order: await this.show(caller, orderNumber),
    };
  }

  /**
   * The caller must confirm if the unit's price is above CONSOLE_CONFIRM_ABOVE.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN; CONFLICT if the unit is neither in doubt nor in review, or if another attempt has
   * begun since the one that the operator saw.
   */
  async resolve(
    caller: Caller,
    orderNumber: string,
    unit: Unit,
    { reason, attempt, ...decision }: ResolveDto,
  ): Promise<OrderDetailDto> {
    const outcome = toOutcome(decision);
    const { order, price, attempt: latest } = await this.orders.getUnit(orderNumber, unit);
    if (price > this.config.console.confirmAbove) caller.assertConfirmed();
    const seenAttempt = attempt ?? latest?.number;
    await this.resolution.resolve({ ...caller.actor(), order, ...unit, seenAttempt, outcome, reason });
    return this.show(caller, orderNumber);
  }

  /**
   * Shows what a decision about several units would settle: units, amount, merchants and orders. Changes nothing.
   * @throws NOT_FOUND; BAD_REQUEST
   */
  async preview({ units: chosen }: NamedUnitsDto): Promise<BatchPreviewDto> {
    const summary = summaryOf(await this.batch.listStatus(chosen.map(toChosenUnit)));
    return {
      ...summary,
      amount: formatBaht(summary.amount),
      merchants: summary.merchants.map((share) => ({ ...share, amount: formatBaht(share.amount) })),
      left: summary.left.map(toUndecidedUnitDto),
    };
  }

  /**
   * The caller must confirm if the prices of all chosen units add up to more than CONSOLE_CONFIRM_ABOVE.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN
   */
  async resolveMany(caller: Caller, { units: chosen, reason, ...decision }: ResolveManyDto): Promise<BatchResolvedDto> {
    const outcome = toOutcome(decision);
    const units = await this.batch.listStatus(chosen.map(toChosenUnit));
    if (sumOf(units) > this.config.console.confirmAbove) caller.assertConfirmed();
    const { resolved, left } = await this.batch.resolve(units, outcome, caller.actor(), reason);
    return {
      resolved: resolved.map(toNamedUnitDto),
      amount: formatBaht(sumOf(resolved)),
      left: left.map(toUndecidedUnitDto),
    };
  }

  /** Queries the supplier of a unit's latest attempt. @throws NOT_FOUND; CONFLICT; TOO_MANY_REQUESTS */
  async inquire(caller: Caller, orderNumber: string, name: Unit): Promise<InquiryDto> {
    const { order, attempt } = await this.orders.getUnit(orderNumber, name);
    if (!attempt) throw notFound('attempt');
    const { supplier, supplier_sku: sku, reference, supplier_reference: supplierReference } = attempt;
    const result = await this.queries.run('inquiry', supplier, () =>
      this.inquiry.inquire(supplier, { sku, reference, supplierReference }),
    );
    const detail = { unit: unitName(name), supplier, result: result.outcome };
    await this.orders.record(order, 'order.inquire', detail, caller.actor());
    return { supplier, reference, ...result, asked_at: new Date() };
  }

  /**
   * Shows the codes that were delivered for a unit. The audit log records this first, without the codes.
   * @throws FORBIDDEN until the caller confirms; NOT_FOUND
   */
  async reveal(caller: Caller, orderNumber: string, name: Unit, reason: string): Promise<RevealedDto> {
    caller.assertConfirmed();
    const order = await this.orders.get(orderNumber);
    const ofItem = (await this.deliveries.ofOrder(order.id)).get(name.item) ?? [];
    const delivered = ofItem.filter(({ unit }) => unit === name.unit);
    if (delivered.length === 0) throw notFound('code');
    const unit = unitName(name);
    await this.orders.record(order, 'code.reveal', { unit }, caller.actor(reason));
    return { unit, pieces: delivered.map(({ unit: _unit, ...code }) => code) };
  }

  private async show(caller: Caller, orderNumber: string): Promise<OrderDetailDto> {
    return toOrderDetailDto(await this.orders.show(orderNumber), caller);
  }
}

const toChosenUnit = ({ order_number, unit, supplier }: ChosenUnitDto): ChosenUnit => ({
  order_number,
  supplier: supplier ?? null,
  ...readUnit(unit),
});

/** @throws BAD_REQUEST if a member does not fit the decision, or a failed unit has no failure_code. */
function toOutcome({
  succeeded,
  supplier_reference: reference,
  failure_code: code,
}: Omit<ResolveDto, 'reason' | 'attempt'>): DefiniteOutcome {
  const refuse = (field: string, words: string): never => {
    throw invalidValue(field, `${field} ${words}`);
  };
  if (succeeded) {
    if (code !== undefined) refuse('failure_code', 'goes with a unit that failed');
    return { kind: 'succeeded', supplierReference: reference ?? null };
  }
  if (reference !== undefined) refuse('supplier_reference', 'goes with a unit that succeeded');
  return { kind: 'failed', ...failure(code ?? refuse('failure_code', 'is needed for a unit that failed')) };
}

const WHY_NOT_CANCELLED: Record<UncancelledUnit['state'], string> = {
  queued: 'a call to its supplier ended just now: try again',
  sending: 'a call to its supplier is in flight',
  unknown: 'it is in doubt: its supplier may have sold it',
  review: 'it is in doubt, and waits for a decision',
  succeeded: 'it has succeeded',
  failed: 'it has failed already',
};

const toLeftUnitDto = (unit: UncancelledUnit): LeftUnitDto => ({
  unit: unitName(unit),
  state: unit.state,
  why: WHY_NOT_CANCELLED[unit.state],
});

const toNamedUnitDto = (unit: UnitStatus): NamedUnitDto => ({
  order_number: unit.order_number,
  unit: unitName(unit),
});

const toUndecidedUnitDto = (unit: UnitStatus): UndecidedUnitDto => ({
  ...toNamedUnitDto(unit),
  ...pick(unit, 'state', 'supplier', 'decided_by'),
});
