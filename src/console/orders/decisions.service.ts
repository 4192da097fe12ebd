import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { notFound } from '../../core/errors.js';
import { unitName, type UnitKey } from '../../orders/order.rows.js';
import { UnitInquiryService } from '../../accounting/reports/unit-inquiry.service.js';
import { OrderCancellationService } from '../../support/order-cancellation.service.js';
import { OrderOverviewService } from '../../support/order-overview.service.js';
import type { LeftUnit } from '../../support/order-problems.js';
import { OrderResolutionService } from '../../support/order-resolution.service.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import type { Caller } from '../access/caller.js';
import type { CancelDto, CancellationDto, InquiryDto, LeftUnitDto, NoteDto, ResolveDto } from './decision.dto.js';
import { toOrderDetailDto } from './order.mapper.js';
import type { OrderDetailDto } from './order.dto.js';
import { readUnit, type Unit } from './unit-name.js';
import { toOutcome } from './verdict.js';

/** What operators do to an order. Each answers the order as it is then. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly overview: OrderOverviewService,
    private readonly cancellation: OrderCancellationService,
    private readonly resolution: OrderResolutionService,
    private readonly inquiry: UnitInquiryService,
    private readonly asked: SupplierQueriesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws NOT_FOUND; BAD_REQUEST */
  async note(caller: Caller, orderNumber: string, { text }: NoteDto): Promise<OrderDetailDto> {
    await this.overview.note(orderNumber, text, caller.actor());
    return this.show(caller, orderNumber);
  }

  /** @throws NOT_FOUND; BAD_REQUEST; CONFLICT where nothing can be cancelled. */
  async cancel(caller: Caller, orderNumber: string, { unit, reason }: CancelDto): Promise<CancellationDto> {
    const order = await this.overview.getByNumber(orderNumber);
    const asked = unit === undefined ? undefined : readUnit(unit);
    const { cancelled, left } = await this.cancellation.cancel({
      order,
      unit: asked,
      by: caller.actor(reason),
    });
    return {
      cancelled: cancelled.map(unitName),
      left: left.map(toLeftUnitDto),
      order: await this.show(caller, orderNumber),
    };
  }

  /**
   * Confirmed again where the unit costs more than CONSOLE_CONFIRM_ABOVE.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN; CONFLICT unless the unit is in doubt or in review, and at the attempt that the
   *   operator saw.
   */
  async resolve(
    caller: Caller,
    orderNumber: string,
    name: Unit,
    { reason, attempt, ...verdict }: ResolveDto,
  ): Promise<OrderDetailDto> {
    const outcome = toOutcome(verdict);
    const { order, price, attempt: latest } = await this.overview.getUnit(orderNumber, name);
    if (price > this.config.console.confirmAbove) caller.assertConfirmed();
    const seenAttempt = attempt ?? latest?.number;
    await this.resolution.resolve({ ...caller.actor(), order, ...name, seenAttempt, outcome, reason });
    return this.show(caller, orderNumber);
  }

  /** What the supplier of a unit's latest attempt says of it now; the log knows who asked. @throws NOT_FOUND; CONFLICT; TOO_MANY_REQUESTS */
  async inquire(caller: Caller, orderNumber: string, name: Unit): Promise<InquiryDto> {
    const { order, attempt } = await this.overview.getUnit(orderNumber, name);
    if (!attempt) throw notFound('attempt');
    const { supplier, supplier_sku: sku, reference, supplier_reference: supplierReference } = attempt;
    const said = await this.asked.ask('inquiry', supplier, () =>
      this.inquiry.ask(supplier, { sku, reference, supplierReference }),
    );
    const detail = { unit: unitName(name), supplier, result: said.outcome };
    await this.overview.recordInquiry(order, detail, caller.actor());
    return { supplier, reference, ...said, asked_at: new Date().toISOString() };
  }

  private async show(caller: Caller, orderNumber: string): Promise<OrderDetailDto> {
    return toOrderDetailDto(await this.overview.show(orderNumber), caller);
  }
}

const WHY: Record<LeftUnit['state'], string> = {
  queued: 'a call to its supplier ended just now: try again',
  sending: 'a call to its supplier is in flight',
  unknown: 'it is in doubt: its supplier may have sold it',
  review: 'it is in doubt, and waits for a resolution',
  succeeded: 'it has succeeded',
  failed: 'it has failed already',
};

const toLeftUnitDto = (unit: LeftUnit & Pick<UnitKey, 'item' | 'unit'>): LeftUnitDto => ({
  unit: unitName(unit),
  state: unit.state,
  why: WHY[unit.state],
});
